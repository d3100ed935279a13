/** The contract as a page for people, made from the OpenAPI document. */
import type { Route } from '../route.js'
import { shapeOf } from './fields.js'
import { page } from './frame.js'
import { type Html, html } from './html.js'
import { type Operation, operationPart } from './operation.js'
import type { Shapes } from './schema.js'

/** What of the document the page shows. */
export interface ApiDocument {
  readonly info: { readonly version: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Shapes }
}

/** Everything that is the same for whoever asks, so that it is made once. */
export function docsBody(routes: readonly Route[], document: ApiDocument): Html {
  const { tags, paths, components } = document
  const shapes = components.schemas
  const groups = tags.map(({ name, description }) => {
    const parts = routes.flatMap((route) => {
      const operation = paths[route.endpoint.path]?.[route.endpoint.method.toLowerCase()]
      return route.endpoint.tag === name && operation !== undefined
        ? [operationPart(route, operation, shapes)]
        : []
    })
    return html`<section id="group-${name}"><h2>${name} <small>${description}</small></h2>${parts}</section>\n`
  })
  const named = Object.entries(shapes).map(
    ([name, schema]) =>
      html`<details class="op"><summary><code>${name}</code></summary><div id="shape-${name}" class="told">${shapeOf(schema)}</div></details>\n`,
  )
  const links = tags.map(({ name }) => html`<a href="#group-${name}">${name}</a>`)
  return html`<nav>${links}<a href="#shapes">shapes</a></nav>
${groups}
<section id="shapes"><h2>shapes <small>What bodies and answers are made of</small></h2>${named}</section>`
}

export function docsPage(body: Html, { info, paths }: ApiDocument, origin: string): string {
  const count = Object.values(paths).reduce((sum, each) => sum + Object.keys(each).length, 0)
  return page(
    { title: 'HTTP API', look: 'docs/style.css' },
    html`<header><h1>HTTP API</h1><p>Holdfast ${info.version} · ${count} operations</p>
<p class="state"><a href="./">Status</a> <a href="docs/problems">Problems</a> <a href="openapi.json">OpenAPI 3.1</a></p></header>
<main>
<section><h2>To begin with</h2>
<p>The examples below work in a shell that knows the server and a key. <code>holdfast keys create</code> makes one; a server that is open on this machine takes calls without.</p>
<pre>export HOLDFAST_SERVER=${origin}
export HOLDFAST_KEY=hf_…</pre>
<p>Lists come in pages: hand <code>next_page_token</code> back as <code>page_token</code> until it is null. <code>Idempotency-Key</code> makes the same call again answer the same. A refusal is <a href="docs/problems">problem+json</a> with a code that never changes its meaning, and what to do.</p></section>
${body}
</main>`,
  )
}
