/** The navigation on the left: three groups with live counts, red only where something is wrong. A drawer on phones. */
import { signal } from '@preact/signals'
import { NAV, PAGE_TABLE } from '../pages/pages.js'
import { navCount } from '../state/counts.js'
import { link, type PageName, page } from '../state/url.js'
import { Num } from '../ui/value.jsx'

export const drawerOpen = signal(false)

export function Nav() {
  const lit = PAGE_TABLE[page.value].under ?? page.value
  return (
    <nav class={`nav${drawerOpen.value ? ' open' : ''}`} aria-label="Pages" id="nav">
      <a class="brand" href={link({ page: 'overview' })}>
        <span class="logo" aria-hidden="true" />
        Holdfast
      </a>
      {NAV.map(({ label, pages }) => (
        <ul key={label} aria-label={label}>
          {pages.map((name) => (
            <li key={name}>
              <a
                href={link({ page: name })}
                aria-current={name === lit ? 'page' : undefined}
                onClick={() => {
                  drawerOpen.value = false
                }}
              >
                <span class="grow">{PAGE_TABLE[name].label}</span>
                <Count of={name} />
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

function Count({ of }: { readonly of: PageName }) {
  const count = navCount(of)
  if (count === undefined) return null
  return (
    <span class={`nav-count${count.wrong ? ' bad' : ''}`}>
      <Num value={count.value} atMost={count.capped ? count.value : undefined} />
    </span>
  )
}
