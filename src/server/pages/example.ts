/** A call that works as it stands, but for what it is about: made from the contract, and checked against it. */
import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.js'
import { resolved, type Schema, type Shapes } from './schema.js'

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}

export interface Example {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What fields of these names usually hold; of others, the least that their schema takes. */
const USUAL: Readonly<Record<string, unknown>> = {
  attempt: 1,
  cron_expression: '@daily',
  expression: '@daily',
  host: 'host-1',
  id: 7,
  input: { to: 'ada' },
  job_id: 7,
  job_ids: [7, 8],
  kind: 'welcome',
  kinds: ['welcome'],
  lease_ms: 30_000,
  lease_token: '1.1',
  name: 'mail',
  pid: 4711,
  policy: { max_retries: 5 },
  priority: 60,
  queue: 'mail',
  queues: ['mail'],
  rule: 'depth',
  target_id: 'room-1',
  threshold: 1000,
  url: 'https://example.com/hook',
  version: '1.0.0',
  worker: 'worker-1',
}

export function exampleOf(
  endpoint: Endpoint,
  parameters: readonly Parameter[],
  body: Schema | undefined,
  shapes: Shapes,
): Example {
  const part = (where: string): Schema => {
    const list = parameters.filter((each) => each.in === where)
    return {
      properties: Object.fromEntries(list.map(({ name, schema }) => [name, schema])),
      required: list.filter(({ required }) => required).map(({ name }) => name),
    }
  }
  const takes = (contract: z.ZodType | undefined) => (said: object) =>
    contract?.safeParse(said).success ?? true
  const query = asText(least(part('query'), (said) => takes(endpoint.query)(asText(said)), shapes))
  const params = least(part('path'), () => true, shapes)
  if (body === undefined || takes(endpoint.body)(undefined as never)) return { params, query }
  const isEnough = (said: object) => Object.keys(said).length > 0 && takes(endpoint.body)(said)
  return { params, query, body: least(resolved(body, shapes), isEnough, shapes) }
}

type Said = Record<string, unknown>

/** What is required, and as much of the rest as it takes until it is enough. */
function least(schema: Schema, isEnough: (said: Said) => boolean, shapes: Shapes): Said {
  const { properties = {}, required = [] } = schema
  const said: Said = {}
  const say = (name: string) => {
    said[name] = valueFor(name, properties[name] ?? {}, shapes)
  }
  for (const name of required) say(name)
  for (const name of Object.keys(properties)) {
    if (isEnough(said)) break
    if (!(name in said) && name !== 'reason') say(name)
  }
  // A job without an input says little about what jobs are.
  if ('kind' in said && 'input' in properties) say('input')
  return said
}

function valueFor(name: string, schema: Schema, shapes: Shapes): unknown {
  const {
    type,
    enum: words,
    minimum = 1,
    items,
    properties,
    format,
    default: usual,
  } = resolved(schema, shapes)
  if (words !== undefined) return words[0]
  if (format === 'date-time') return '2030-01-31T12:00:00Z'
  // A list of objects under a name that usually has plain values is made of its own schema.
  const isOfObjects =
    type === 'array' && items !== undefined && resolved(items, shapes).properties !== undefined
  if (name in USUAL && !isOfObjects) return USUAL[name]
  if (usual !== undefined) return usual
  if (type === 'array') return items === undefined ? [] : [valueFor(isOfObjects ? '' : name, items, shapes)]
  if (type === 'integer' || type === 'number') return Math.max(1, minimum)
  if (type === 'boolean') return true
  if (properties !== undefined) return least(resolved(schema, shapes), () => true, shapes)
  return type === 'object' ? {} : 'text'
}

function asText(values: Readonly<Said>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
}

/** For a shell in which HOLDFAST_SERVER and HOLDFAST_KEY are set. */
export function curlOf({ method, path, scope }: Endpoint, { params, query, body }: Example): string {
  const address = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams(query).toString()
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}"$HOLDFAST_SERVER${address}${search && `?${search}`}"`,
    ...(scope === null ? [] : ['  -H "authorization: Bearer $HOLDFAST_KEY"']),
    ...(body === undefined
      ? []
      : ["  -H 'content-type: application/json'", `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ]
  return lines.join(' \\\n')
}
