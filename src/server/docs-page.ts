/** The contract as pages for people: plain HTML with one style sheet of our own, no script, nothing from elsewhere. */
import { isUnsafe } from '../contract/endpoint.js'
import { allProblems } from './problem.js'
import type { Route } from './route.js'

export const DOCS_CSS = `:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid #8884; padding: .4rem .6rem; text-align: left; vertical-align: top }
code { font-family: ui-monospace, monospace; font-size: .9em }
:target { background: #fd06 }
`

export function docsPage(routes: readonly Route[]): string {
  const rows = routes.map(
    ({ name, endpoint }) =>
      `<tr id="${html(name)}"><td><code>${endpoint.method}</code></td><td><code>${html(endpoint.path)}</code></td>` +
      `<td>${html(endpoint.summary)}</td><td>${scopeOf(endpoint.scope)}${endpoint.everyTenant ? ', every tenant' : ''}</td>` +
      `<td>${isUnsafe(endpoint) ? 'yes' : ''}</td></tr>`,
  )
  return page(
    'The HTTP API',
    `<p>Send <code>Authorization: Bearer hf_…</code>. The whole contract is at <a href="openapi.json">openapi.json</a> (OpenAPI 3.1);
what can be refused, and what to do then, is at <a href="docs/problems">problems</a>.</p>
<table><tr><th></th><th>address</th><th></th><th>scope</th><th>changes something</th></tr>${rows.join('\n')}</table>`,
    '',
  )
}

export function problemsPage(): string {
  const rows = allProblems().map(
    ({ code, status, message, remedy }) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${html(message)}</td><td>${html(remedy)}</td></tr>`,
  )
  return page(
    'Problems',
    `<table><tr><th>code</th><th>status</th><th>what happened</th><th>what to do</th></tr>${rows.join('\n')}</table>`,
    '../',
  )
}

function page(title: string, body: string, root: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Holdfast</title>
<link rel="stylesheet" href="${root}docs/style.css"></head><body><h1>${title}</h1>
${body}
</body></html>
`
}

function scopeOf(scope: Route['endpoint']['scope']): string {
  return scope === null ? 'none' : [scope].flat().join(' or ')
}

function html(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
