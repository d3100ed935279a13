/**
 * Style sheets of the pages. Light or dark by the preference of the reader's system; on a narrow screen each row of a table becomes a
 * small card.
 */
const BASE_CSS = `:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #fff; --line: #e3e6ea; --text: #1b2027; --soft: #5b6572; --accent: #0b62d6;
  --bad: #b3261e; --bad-ground: #fdecea; --warn: #8a5300; --warn-ground: #fff3dc; --good: #1d7a3e; --good-ground: #e4f5ea;
  --calm: #0b4f9e; --calm-ground: #e6f0fd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1216; --card: #171b21; --line: #2a3038; --text: #e7eaee; --soft: #9aa4b0; --accent: #7ab3ff;
    --bad: #ff9d94; --bad-ground: #3a1a18; --warn: #ffcd7d; --warn-ground: #382a10; --good: #7fdb9f; --good-ground: #14301f;
    --calm: #9cc7ff; --calm-ground: #14263d;
  }
}
* { box-sizing: border-box }
body { background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 0 }
header, main, footer { margin: 0 auto; max-width: 64rem; padding: 0 1.25rem }
header { align-items: baseline; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding-block: 1.75rem 1.25rem }
h1 { font-size: 1.375rem; letter-spacing: -.01em; margin: 0 }
header p { color: var(--soft); margin: 0 }
header .state { margin-left: auto }
h2 { font-size: 1rem; margin: 0 }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 1.25rem; overflow: hidden }
section > h2, section > p { padding: .875rem 1.125rem }
section > h2 { align-items: center; border-bottom: 1px solid var(--line); display: flex; gap: .5rem }
section > p { color: var(--soft); margin: 0 }
section > p + p { padding-top: 0 }
section > p b { color: var(--text) }
table { border-collapse: collapse; width: 100% }
th, td { padding: .5rem 1.125rem; text-align: left; vertical-align: top }
th { color: var(--soft); font-size: .8125rem; font-weight: 500; white-space: nowrap }
tr + tr td, thead + tbody td { border-top: 1px solid var(--line) }
td { overflow-wrap: anywhere }
.lead { min-width: 11rem }
.plain { overflow-wrap: normal; white-space: nowrap }
.mark { border-radius: 999px; font-size: .8125rem; font-weight: 500; padding: .0625rem .5625rem; white-space: nowrap }
.bad .mark, .mark.bad { background: var(--bad-ground); color: var(--bad) }
.mark.warn { background: var(--warn-ground); color: var(--warn) }
.mark.good { background: var(--good-ground); color: var(--good) }
.mark.calm { background: var(--calm-ground); color: var(--calm) }
small, time { color: var(--soft); font-size: .8125rem }
small { display: block }
code, pre { font-family: ui-monospace, monospace; font-size: .875em }
pre { background: var(--ground); border-radius: 8px; margin: 0 1.125rem 1.125rem; overflow-x: auto; padding: .75rem 1rem }
a { color: var(--accent) }
footer { color: var(--soft); display: flex; flex-wrap: wrap; font-size: .875rem; gap: .25rem 1.25rem; padding-block: .25rem 2.5rem }
.door { margin-top: 12vh; max-width: 34rem }
@media (max-width: 40rem) {
  header, main, footer { padding-inline: 1rem }
  header p { flex-basis: 100%; order: 2 }
  header .state { flex-basis: auto; order: 1 }
  thead { display: none }
  tr { display: block; padding: .625rem 0 }
  tr + tr { border-top: 1px solid var(--line) }
  td, .number { display: flex; gap: 1rem; justify-content: space-between; padding-block: .125rem; text-align: right }
  tr + tr td, thead + tbody td { border-top: 0 }
  td::before { color: var(--soft); content: attr(data-label); flex: none; font-size: .8125rem }
  td.lead { display: block; font-weight: 600; min-width: 0; text-align: left }
  td.lead::before { content: none }
  td.lead small { font-weight: 400 }
}
`

export const DOCS_CSS = `${BASE_CSS}
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
.details { border-top: 1px solid var(--line); padding: .875rem 0 .5rem }
.details > p { margin: 0 0 .75rem; padding: 0 1.125rem }
.details > p.needs > a { float: right; font-size: .8125rem; text-decoration: none }
.details > pre { clear: both }
pre + p { padding-top: 0 }
h4 { font-size: .8125rem; margin: .75rem 0 .25rem; padding: 0 1.125rem }
h4 small { display: inline; font-weight: 400 }
.details table { margin-bottom: .5rem; table-layout: fixed }
.details th:first-child { width: 30% }
.details th:nth-child(2) { width: 34% }
.details th, .details td { font-size: .875rem; padding-block: .3125rem }
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

export const STATUS_CSS = `${BASE_CSS}
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
