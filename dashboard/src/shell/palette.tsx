/** The command palette (Ctrl K): pages, actions of the page that is shown, and a search for what was typed. */
import { useState } from 'preact/hooks'
import { NAV, PAGE_TABLE } from '../pages/pages.js'
import { type Command, commands } from '../state/commands.js'
import { GO_KEYS, helpOpen, paletteOpen } from '../state/keyboard.js'
import { theme } from '../state/theme.js'
import { go } from '../state/url.js'
import { Dialog } from '../ui/dialog.jsx'

const keyOf = new Map(Object.entries(GO_KEYS).map(([key, name]) => [name, `g ${key}`]))

const PAGES: readonly Command[] = NAV.flatMap(({ pages }) =>
  pages.map((name) => ({
    name: PAGE_TABLE[name].label,
    group: 'Go to',
    keys: keyOf.get(name),
    run: () => go({ page: name }),
  })),
)

const ALWAYS: readonly Command[] = [
  { name: 'Theme: dark', run: () => void (theme.value = 'dark') },
  { name: 'Theme: light', run: () => void (theme.value = 'light') },
  { name: 'Theme of the system', run: () => void (theme.value = 'system') },
  { name: 'Keyboard', keys: '?', run: () => void (helpOpen.value = true) },
]

function matching(text: string): readonly Command[] {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = [...commands(), ...PAGES, ...ALWAYS].filter(({ name, group = '' }) =>
    parts.every((part) => `${group} ${name}`.toLowerCase().includes(part)),
  )
  if (text.trim() === '') return found
  return [
    ...found,
    { name: `Search jobs for “${text.trim()}”`, run: () => go({ page: 'jobs', q: text.trim() }) },
  ]
}

export function Palette() {
  return paletteOpen.value ? <OpenPalette /> : null
}

function OpenPalette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const found = matching(text)
  const close = () => {
    paletteOpen.value = false
  }
  const run = (command: Command | undefined) => {
    close()
    // After the dialog has given the focus back.
    queueMicrotask(() => command?.run())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((at + step + found.length) % Math.max(1, found.length))
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      run(found[at])
    }
  }
  return (
    <Dialog title="Commands" onClose={close} bare>
      <div class="palette">
        <input
          class="palette-input"
          role="combobox"
          aria-label="Command"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={`palette-${at}`}
          placeholder="Go to a page, press a button, search jobs…"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div id="palette-list" role="listbox" aria-label="Commands" class="palette-list">
          {found.map((command, n) => (
            <div
              key={`${command.group ?? ''}${command.name}`}
              id={`palette-${n}`}
              role="option"
              aria-selected={n === at}
              ref={(element) => {
                if (n === at) element?.scrollIntoView({ block: 'nearest' })
              }}
              onClick={() => run(command)}
            >
              {command.group !== undefined && <span class="faint">{command.group}</span>}
              <span class="grow">{command.name}</span>
              {command.keys?.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}
