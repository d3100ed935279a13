/** Every way a call is refused, with what to do. */
import { allProblems } from '../problem.js'
import { page } from './frame.js'
import { html } from './html.js'

export function problemsPage(): string {
  const problems = allProblems().sort((a, b) => a.status - b.status)
  const rows = problems.map(
    ({ code, status, message, remedy }) =>
      html`<tr id="${code}"><td class="lead"><a href="#${code}"><code>${code}</code></a></td><td data-label="status"><span class="mark ${status < 500 ? 'warn' : 'bad'}">${status}</span></td>
<td data-label="happened">${message}</td><td data-label="what to do">${remedy}</td></tr>\n`,
  )
  return page(
    { title: 'Problems', look: 'style.css' },
    html`<header><h1>Problems</h1><p>${problems.length} codes</p><p class="state"><a href="../">Status</a> <a href="../docs">HTTP API</a></p></header>
<main><section><h2>What is refused, and what to do</h2>
<p>A refusal is <code>application/problem+json</code> (RFC 9457): <code>code</code> is one of these and never changes its meaning, <code>detail</code> says what happened, <code>remedy</code> what to do, <code>errors</code> point into the request, <code>instance</code> is the id of the request.</p>
<table><thead><tr><th>code</th><th>status</th><th>what happened</th><th>what to do</th></tr></thead><tbody>${rows}</tbody></table></section></main>`,
  )
}
