/** The bar on top: search, tenant, live dot, theme, session. */

import { call } from '../api/call.js'
import { useResource } from '../api/resource.js'
import { SearchBox } from '../search/search-box.jsx'
import { now, ZONES, zone } from '../state/clock.js'
import { helpOpen, paletteOpen } from '../state/keyboard.js'
import { connected, notLiveSince } from '../state/live.js'
import { everyTenant, may, session, signOut, tenant } from '../state/session.js'
import { THEMES, theme } from '../state/theme.js'
import { Badge } from '../ui/badge.jsx'
import { formatClock } from '../ui/format.js'
import { Menu } from '../ui/menu.jsx'
import { drawerOpen } from './nav.jsx'

export function TopBar() {
  return (
    <header class="top">
      <button
        type="button"
        class="button quiet drawer-key"
        aria-label="Pages"
        aria-expanded={drawerOpen.value}
        aria-controls="nav"
        onClick={() => {
          drawerOpen.value = !drawerOpen.value
        }}
      >
        ☰
      </button>
      <SearchBox />
      <div class="top-end">
        {everyTenant.value && may('admin') && <TenantSwitch />}
        <ReadOnly />
        <LiveDot />
        <Preferences />
      </div>
    </header>
  )
}

function TenantSwitch() {
  const tenants = useResource(
    (signal) => call('GET /api/v1/tenants', { query: { page_size: 200 }, signal }),
    [],
    { live: false, everyPage: true },
  )
  const names = tenants.data.value?.tenants.map((each) => each.name) ?? []
  const chosen = tenant.value === '' ? 'default' : tenant.value
  const all = [...new Set(['default', ...names, chosen])].sort()
  if (all.length < 2) return null
  return (
    <Menu
      look="quiet"
      label={
        <>
          <span class="faint tenant-word">tenant</span> {chosen}
        </>
      }
      items={all.map((name) => ({
        label: name,
        checked: name === chosen,
        run: () => {
          tenant.value = name === 'default' ? '' : name
        },
      }))}
    />
  )
}

function LiveDot() {
  const live = connected.value || notLiveSince.value === null
  return (
    <span
      class="live"
      role="status"
      title={live ? 'Changes appear as they happen' : 'The page asks every five seconds'}
    >
      <span class={`dot${live ? '' : ' hollow'}`} aria-hidden="true" />
      <span class="live-text">{live ? 'live' : 'not live'}</span>
    </span>
  )
}

/** Keys of commands are not shown then; this says why. */
function ReadOnly() {
  if (session.value === null || may('operate')) return null
  return (
    <Badge
      title={
        session.value.readOnly
          ? 'This server refuses every change.'
          : `The key ${session.value.actor ?? ''} may look, not change.`
      }
    >
      read-only
    </Badge>
  )
}

const THEME_NAMES = { system: 'Theme of the system', light: 'Light', dark: 'Dark' } as const

function Preferences() {
  const current = session.value
  return (
    <Menu
      look="quiet"
      label="⋯"
      caret={false}
      name="Preferences"
      items={[
        ...THEMES.map((name) => ({
          label: THEME_NAMES[name],
          checked: theme.value === name,
          run: () => {
            theme.value = name
          },
        })),
        null,
        ...ZONES.map((name) => ({
          label: name === 'utc' ? 'Times in UTC' : 'Times in your zone',
          checked: zone.value === name,
          run: () => {
            zone.value = name
          },
        })),
        null,
        { label: 'Commands', hint: 'Ctrl K', run: () => void (paletteOpen.value = true) },
        { label: 'Keyboard', hint: '?', run: () => void (helpOpen.value = true) },
        ...(current?.canSignOut
          ? [null, { label: `Sign out${current.actor ? ` (${current.actor})` : ''}`, run: signOut }]
          : []),
      ]}
    />
  )
}

/** Says honestly that what is shown may be old. */
export function NotLiveBar() {
  const since = notLiveSince.value
  if (since === null) return null
  return (
    <div class="not-live" role="alert">
      Not live since {formatClock(since, now.value, zone.value)}. What you see may be old; the page keeps
      trying.
    </div>
  )
}
