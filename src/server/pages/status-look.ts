import { LOOK } from './look.js'

export const STATUS_CSS = `${LOOK}
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); list-style: none; margin: 0 0 1.25rem; padding: 0 }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .75rem 1rem }
.tiles b { display: block; font-size: 1.625rem; font-variant-numeric: tabular-nums; font-weight: 600; line-height: 1.25 }
.tiles span { color: var(--soft); font-size: .8125rem }
.tiles .bad b { color: var(--bad) }
.number { font-variant-numeric: tabular-nums; text-align: right }
.zero { color: var(--soft) }
.alarm { color: var(--bad); font-weight: 600 }
@media (max-width: 40rem) {
  .tiles { grid-template-columns: repeat(3, 1fr) }
  .tiles li { padding: .625rem .75rem }
  .tiles b { font-size: 1.375rem }
  td.zero { display: none }
}
`
