/** An example call of an endpoint, generated from the contract and valid by it. */
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

/** Example values by name of a field; other fields get the simplest value of their schema. */
const VALUES: Readonly<Record<string, unknown>> = {
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
  const accepts = (contract: z.ZodType | undefined) => (value: object) =>
    contract?.safeParse(value).success ?? true
  const query = asText(smallest(part('query'), (value) => accepts(endpoint.query)(asText(value)), shapes))
  const params = smallest(part('path'), () => true, shapes)
  if (body === undefined || accepts(endpoint.body)(undefined as never)) return { params, query }
  const isValid = (value: object) => Object.keys(value).length > 0 && accepts(endpoint.body)(value)
  return { params, query, body: smallest(resolved(body, shapes), isValid, shapes) }
}

type ExampleValue = Record<string, unknown>

/** The required fields, and optional ones until the value is valid. */
function smallest(schema: Schema, isValid: (value: ExampleValue) => boolean, shapes: Shapes): ExampleValue {
  const { properties = {}, required = [] } = schema
  const value: ExampleValue = {}
  const add = (name: string) => {
    value[name] = valueFor(name, properties[name] ?? {}, shapes)
  }
  for (const name of required) add(name)
  for (const name of Object.keys(properties)) {
    if (isValid(value)) break
    if (!(name in value) && name !== 'reason') add(name)
  }
  // An example job should have an input.
  if ('kind' in value && 'input' in properties) add('input')
  return value
}

function valueFor(name: string, schema: Schema, shapes: Shapes): unknown {
  const {
    type,
    enum: values,
    minimum = 1,
    items,
    properties,
    format,
    default: defaultValue,
  } = resolved(schema, shapes)
  if (values !== undefined) return values[0]
  if (format === 'date-time') return '2030-01-31T12:00:00Z'
  // A list of objects is built from its own schema, even if the table has plain values for its name.
  const isOfObjects =
    type === 'array' && items !== undefined && resolved(items, shapes).properties !== undefined
  if (name in VALUES && !isOfObjects) return VALUES[name]
  if (defaultValue !== undefined) return defaultValue
  if (type === 'array') return items === undefined ? [] : [valueFor(isOfObjects ? '' : name, items, shapes)]
  if (type === 'integer' || type === 'number') return Math.max(1, minimum)
  if (type === 'boolean') return true
  if (properties !== undefined) return smallest(resolved(schema, shapes), () => true, shapes)
  return type === 'object' ? {} : 'text'
}

function asText(values: Readonly<ExampleValue>): Record<string, string> {
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
