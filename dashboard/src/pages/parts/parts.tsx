/** What several pages show alike: tiles of numbers, two panels beside each other, a notice with its button. */
import type { ComponentChildren } from 'preact'
import type { Tone } from '../../ui/badge.jsx'
import { Panel } from '../../ui/panel.jsx'
import './parts.css'

export function Halves({ children }: { readonly children: ComponentChildren }) {
  return <div class="halves">{children}</div>
}

export function Tiles({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <section class="tiles" aria-label={label}>
      {children}
    </section>
  )
}

interface TileProps {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
  /** Coloured only where the number means something is wrong or waits. */
  readonly tone?: Tone
  readonly href?: string
}

export function Tile({ name, value, note, tone, href }: TileProps) {
  const inside = (
    <>
      <span class="tile-name">{name}</span>
      <span class={`tile-value${tone === undefined ? '' : ` ${tone}`}`}>{value}</span>
      {note !== undefined && <span class="tile-note">{note}</span>}
    </>
  )
  return href === undefined ? (
    <div class="tile">{inside}</div>
  ) : (
    <a class="tile" href={href}>
      {inside}
    </a>
  )
}

/** What needs a person, in a sentence, with the button that solves it. */
export function Notice({
  tone,
  children,
  actions,
}: {
  readonly tone: Tone
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
}) {
  return (
    <Panel tone={tone}>
      <div class="notice">
        <div class="grow">{children}</div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </div>
    </Panel>
  )
}
