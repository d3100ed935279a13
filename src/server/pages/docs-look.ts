import { LOOK } from './look.js'

export const DOCS_CSS = `${LOOK}
html { scroll-padding-top: 8.5rem }
nav { background: var(--ground); border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .25rem .875rem; margin-bottom: 1.25rem; padding: .75rem 0; position: sticky; top: 0; z-index: 1 }
nav a { font-size: .875rem; text-decoration: none }
nav a:hover { text-decoration: underline }
header .state a { margin-left: .75rem }
section > h2 small { display: inline; font-weight: 400 }
.op + .op, .op { border-top: 1px solid var(--line) }
h2 + .op { border-top: 0 }
summary { align-items: baseline; cursor: pointer; display: flex; flex-wrap: wrap; gap: .125rem .75rem; list-style: none; padding: .5rem 1.125rem }
summary::-webkit-details-marker { display: none }
summary:hover, .op[open] > summary { background: var(--ground) }
summary code { overflow-wrap: anywhere }
.what { color: var(--soft); font-size: .875rem; margin-left: auto; max-width: 30rem; text-align: right }
.verb { border-radius: 6px; font: 600 .6875rem/1.5 ui-monospace, monospace; min-width: 3.75rem; padding: .125rem .375rem; text-align: center }
.verb.get { background: var(--calm-ground); color: var(--calm) }
.verb.post { background: var(--good-ground); color: var(--good) }
.verb.put, .verb.patch { background: var(--warn-ground); color: var(--warn) }
.verb.delete { background: var(--bad-ground); color: var(--bad) }
.told { border-top: 1px solid var(--line); padding: .875rem 0 .5rem }
.told > p { margin: 0 0 .75rem; padding: 0 1.125rem }
.told > p.needs > a { float: right; font-size: .8125rem; text-decoration: none }
.told > pre { clear: both }
pre + p { padding-top: 0 }
h4 { font-size: .8125rem; margin: .75rem 0 .25rem; padding: 0 1.125rem }
h4 small { display: inline; font-weight: 400 }
.told table { margin-bottom: .5rem; table-layout: fixed }
.told th:first-child { width: 30% }
.told th:nth-child(2) { width: 34% }
.told th, .told td { font-size: .875rem; padding-block: .3125rem }
.need { color: var(--bad); font-size: .75rem }
.note { color: var(--soft) }
.codes a { font: .8125rem ui-monospace, monospace; text-decoration: none }
.codes small { display: inline; margin-right: .5rem }
:target { background: color-mix(in srgb, var(--calm-ground) 35%, transparent) }
@media (max-width: 40rem) {
  nav { flex-wrap: nowrap; margin-inline: -1rem; overflow-x: auto; padding-inline: 1rem }
  header .state { margin-left: 0 }
  header .state a:first-child { margin-left: 0 }
  .what { flex-basis: 100%; margin: 0; text-align: left }
  .note:empty { display: none }
  td.lead .need { font-weight: 400 }
}
`
