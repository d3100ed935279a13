/** The API reference as HTML pages, generated from the OpenAPI document: operations, and error codes. */
import { openApiDocument } from '../http/openapi.js'
import { allProblems } from '../http/problem.js'
import type { Route } from '../http/route.js'
import { shapeOf } from './fields.js'
import { page } from './frame.js'
import { type Html, html } from './html.js'
import { type Operation, operationPart } from './operation.js'
import type { Shapes } from './schema.js'

/** The parts of the OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly version: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Shapes }
}

/** The document and the page's body, built on first use: they do not change while the server runs. */
export class ApiDocs {
  readonly #routes: readonly Route[]
  #built: { readonly document: ApiDocument; readonly json: string; readonly body: Html } | undefined

  constructor(routes: readonly Route[]) {
    this.#routes = routes
  }

  get document(): ApiDocument {
    return this.#build().document
  }

  get json(): string {
    return this.#build().json
  }

  get body(): Html {
    return this.#build().body
  }

  #build() {
    if (this.#built === undefined) {
      const openApi = openApiDocument(this.#routes)
      const document = openApi as unknown as ApiDocument
      this.#built = { document, json: JSON.stringify(openApi), body: docsBody(this.#routes, document) }
    }
    return this.#built
  }
}

/** The part of the page that is the same for every request. */
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
  const shapeParts = Object.entries(shapes).map(
    ([name, schema]) =>
      html`<details class="op"><summary><code>${name}</code></summary><div id="shape-${name}" class="details">${shapeOf(schema)}</div></details>\n`,
  )
  const links = tags.map(({ name }) => html`<a href="#group-${name}">${name}</a>`)
  return html`<nav>${links}<a href="#shapes">shapes</a></nav>
${groups}
<section id="shapes"><h2>shapes <small>Schemas of request and response bodies</small></h2>${shapeParts}</section>`
}

export function docsPage(body: Html, { info, paths }: ApiDocument, origin: string): string {
  const count = Object.values(paths).reduce((sum, each) => sum + Object.keys(each).length, 0)
  return page(
    { title: 'HTTP API', style: 'docs/style.css' },
    html`<header><h1>HTTP API</h1><p>Holdfast ${info.version} · ${count} operations</p>
<p class="state"><a href="./">Status</a> <a href="docs/problems">Problems</a> <a href="openapi.json">OpenAPI 3.1</a></p></header>
<main>
<section><h2>Getting started</h2>
<p>The examples below run in a shell with these two variables. <code>holdfast keys create</code> creates a key; a local server without keys needs none.</p>
<pre>export HOLDFAST_SERVER=${origin}
export HOLDFAST_KEY=hf_…</pre>
<p>Lists are paged: send <code>next_page_token</code> back as <code>page_token</code> until it is null. A call repeated with the same <code>Idempotency-Key</code> returns the same result. Errors are <a href="docs/problems">problem+json</a> with a stable code and a remedy.</p></section>
${body}
</main>`,
  )
}

/** The page of error codes, with remedies. */
export function problemsPage(): string {
  const problems = allProblems().sort((a, b) => a.status - b.status)
  const rows = problems.map(
    ({ code, status, message, remedy }) =>
      html`<tr id="${code}"><td class="lead"><a href="#${code}"><code>${code}</code></a></td><td data-label="status"><span class="mark ${status < 500 ? 'warn' : 'bad'}">${status}</span></td>
<td data-label="happened">${message}</td><td data-label="what to do">${remedy}</td></tr>\n`,
  )
  return page(
    { title: 'Problems', style: 'style.css' },
    html`<header><h1>Problems</h1><p>${problems.length} codes</p><p class="state"><a href="../">Status</a> <a href="../docs">HTTP API</a></p></header>
<main><section><h2>Error codes and remedies</h2>
<p>An error response is <code>application/problem+json</code> (RFC 9457): <code>code</code> is one of these and stable, <code>detail</code> describes what happened, <code>remedy</code> what to do, <code>errors</code> point to fields of the request, <code>instance</code> is the id of the request.</p>
<table><thead><tr><th>code</th><th>status</th><th>what happened</th><th>what to do</th></tr></thead><tbody>${rows}</tbody></table></section></main>`,
  )
}
