/** One operation on the API page: required scope, an example, parameters, body, responses and errors. */
import { isUnsafe } from '../../contract/endpoint.js'
import { ERRORS, type ErrorCode } from '../../domain/errors/errors.js'
import type { Route } from '../http/route.js'
import { curlOf, exampleOf, type Parameter } from './example.js'
import { fieldTable, shapeOf } from './fields.js'
import { type Html, html } from './html.js'
import { resolved, type Schema, type Shapes } from './schema.js'

type Content = Readonly<Record<string, { readonly schema: Schema }>>

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

export function operationPart({ name, endpoint }: Route, operation: Operation, shapes: Shapes): Html {
  const { method, path } = endpoint
  const { summary, parameters = [], requestBody } = operation
  const [body] = Object.values(requestBody?.content ?? {})
  const example = exampleOf(endpoint, parameters, body?.schema, shapes)
  // The anchor is inside, so that a browser opens the element when it follows a link to it.
  return html`<details class="op"><summary><span class="verb ${method.toLowerCase()}">${method}</span><code>${path}</code><span class="what">${summary}</span></summary>
<div id="${name}" class="details"><p class="needs">${requirements(endpoint)} <a href="#${name}" title="link to this operation">#${name}</a></p>
<pre>${curlOf(endpoint, example)}</pre>
${parameters.length > 0 && html`<h4>Parameters</h4>${fieldTable(parameters.map((each) => ({ ...each, where: each.in })))}`}
${body !== undefined && html`<h4>Body${!requestBody?.required && html` <small>optional</small>`}</h4>${shapeOf(resolved(body.schema, shapes))}`}
<h4>Responses</h4>${successes(operation)}
<h4>Errors</h4><p class="codes">${errorLinks(operation)}</p></div></details>\n`
}

function requirements(endpoint: Route['endpoint']): Html {
  const { scope, everyTenant } = endpoint
  if (scope === null) return html`Needs no key.`
  const scopes = [scope]
    .flat()
    .map((each, n) => html`${n > 0 && ' or '}<span class="mark calm">${each}</span>`)
  return html`Needs a key with the scope ${scopes}${everyTenant && ', for all tenants'}.${isUnsafe(endpoint) && ' Recorded in the audit log.'}`
}

const isProblem = (content: Content | undefined) =>
  content !== undefined && 'application/problem+json' in content

function successes({ responses }: Operation): Html {
  const parts = Object.entries(responses).filter(([, { content }]) => !isProblem(content))
  return html`${parts.map(([status, { description, content = {} }]) => {
    const media = Object.keys(content)
    const [shape] = Object.values(content)
    const other = media.filter((each) => each !== 'application/json')
    return html`<p><span class="mark ${Number(status) < 400 ? 'good' : 'warn'}">${status}</span> ${description}${other.length > 0 && html`, as ${other.join(' or ')}`}</p>
${shape !== undefined && other.length === 0 && shapeOf(shape.schema, true)}`
  })}`
}

/** The description of each status lists its error codes. */
function errorLinks({ responses }: Operation): Html[] {
  const codes = Object.values(responses)
    .filter(({ content }) => isProblem(content))
    .flatMap(({ description }) => description.split(', ') as ErrorCode[])
  return codes.map(
    (code) => html`<a href="docs/problems#${code}">${code}</a> <small>${ERRORS[code].status}</small> `,
  )
}
