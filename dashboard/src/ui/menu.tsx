/** A button with a list of choices (popover). Arrow keys move, Escape closes, focus returns to the button. */
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

export interface MenuItem {
  readonly label: ComponentChildren
  readonly run?: () => unknown
  readonly href?: string
  readonly danger?: boolean
  readonly checked?: boolean
  readonly hint?: string
}

interface MenuProps {
  readonly label: ComponentChildren
  readonly items: readonly (MenuItem | null)[]
  readonly look?: 'plain' | 'quiet'
  /** For a button without text, such as "⋯". */
  readonly name?: string
  readonly caret?: boolean
}

export function Menu({ label, items, look = 'plain', name, caret = true }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)

  const place = (event: { newState: string }) => {
    if (event.newState !== 'open' || button.current === null || list.current === null) return
    const from = button.current.getBoundingClientRect()
    const { offsetWidth: width, offsetHeight: height } = list.current
    const below = from.bottom + 4 + height < innerHeight || from.top < height
    list.current.style.left = `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`
    list.current.style.top = below ? `${from.bottom + 4}px` : `${from.top - 4 - height}px`
    entries()[0]?.focus()
  }
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]
  const close = () => {
    list.current?.hidePopover()
    button.current?.focus()
  }
  const move = (event: KeyboardEvent) => {
    const all = entries()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key]
    if (event.key === 'Tab') close()
    if (to === undefined) return
    event.preventDefault()
    all[to % all.length]?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button ${look}`}
        popovertarget={id}
        aria-haspopup="menu"
        aria-label={name}
      >
        {label}
        {caret && (
          <span class="caret" aria-hidden="true">
            ▾
          </span>
        )}
      </button>
      <div ref={list} id={id} class="menu" popover="auto" role="menu" onToggle={place} onKeyDown={move}>
        {items.map((item, n) =>
          item === null ? (
            <hr key={n} />
          ) : (
            <Entry key={typeof item.label === 'string' ? item.label : n} item={item} close={close} />
          ),
        )}
      </div>
    </>
  )
}

function Entry({
  item: { label, run, href, danger, checked, hint },
  close,
}: {
  item: MenuItem
  close: () => void
}) {
  const shared = {
    class: `menu-item${danger ? ' bad' : ''}`,
    role: checked === undefined ? ('menuitem' as const) : ('menuitemradio' as const),
    'aria-checked': checked,
    tabIndex: -1,
  }
  const inside = (
    <>
      <span class="menu-check" aria-hidden="true">
        {checked ? '✓' : ''}
      </span>
      <span class="grow">{label}</span>
      {hint !== undefined && <kbd class="faint">{hint}</kbd>}
    </>
  )
  if (href !== undefined) {
    return (
      <a {...shared} href={href} onClick={close}>
        {inside}
      </a>
    )
  }
  return (
    <button
      {...shared}
      type="button"
      onClick={() => {
        close()
        run?.()
      }}
    >
      {inside}
    </button>
  )
}
