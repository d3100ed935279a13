/** The contract as an OpenAPI 3.1 document. Schemas that have an id stand in components, once. */
import { z } from 'zod'
import { type Endpoint, isUnsafe } from '../contract/endpoint.js'
import { problem } from '../contract/problem.js'
import { ERRORS, type ErrorCode } from '../domain/errors.js'
import { PACKAGE_VERSION } from '../store/package.js'
import type { Route } from './route.js'

type Json = Record<string, unknown>

/** In the order in which they are shown. */
const TAGS: Readonly<Record<string, string>> = {
  jobs: 'Making jobs, finding them, looking at one',
  commands: 'What people do to jobs',
  queues: 'Queues, their policies, and targets that stand still',
  workers: 'Who works here',
  schedules: 'What fires by itself, and maintenance windows',
  subjects: 'What is worked on again and again',
  items: 'What jobs have found',
  live: 'What happens, as it happens',
  work: 'The worker protocol: claim, renew, report, finish',
  alerts: 'What the system found wrong with itself, and what counts as wrong',
  webhooks: 'Who is told of alerts',
  settings: 'Numbers that change while everything runs',
  upkeep: 'What the system does by itself, and doing it now',
  tenants: 'Tenants and what each may have',
  keys: 'Who may call',
  audit: 'Who has called to change something',
  harvest: 'Pull and report, as the lead harvester’s document writes them',
  crawl: 'Administration of crawls, as the crawler’s document writes it',
  target: 'Resuming a job of a target, as the conversation runner’s document writes it',
  health: 'Whether the server lives and can work, and what it counts',
  status: 'A page for a browser',
  docs: 'This contract',
}

/** What any call with a key can meet, beside the errors of its route. */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_input',
  'unauthorized',
  'scope_missing',
  'tenant_not_yours',
  'limit_exceeded',
]
const UNSAFE: readonly ErrorCode[] = ['cross_site']
const WITH_BODY: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']

export function openApiDocument(routes: readonly Route[]): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const { name, endpoint } of routes.filter((route) => !isOtherSpelling(route, routes))) {
    paths[endpoint.path] ??= {}
    ;(paths[endpoint.path] as Json)[endpoint.method.toLowerCase()] = operation(name, endpoint, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: PACKAGE_VERSION,
      description:
        'Durable jobs on Postgres. Errors are problem+json (RFC 9457) with a stable code and a remedy.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A key: `Bearer hf_…`' } },
      schemas,
    },
  }
}

function tagsOf(routes: readonly Route[]): Json[] {
  const used = new Set(routes.map(({ endpoint }) => endpoint.tag))
  const names = [...new Set([...Object.keys(TAGS), ...used])].filter((name) => used.has(name))
  return names.map((name) => ({ name, description: TAGS[name] ?? name }))
}

/** The same address with a slash at its end is served for those who were told to write it so, and said once. */
function isOtherSpelling({ endpoint: { method, path } }: Route, routes: readonly Route[]): boolean {
  return (
    path.endsWith('/') &&
    routes.some(({ endpoint }) => endpoint.method === method && `${endpoint.path}/` === path)
  )
}

function operation(name: string, endpoint: Endpoint, schemas: Json): Json {
  const { summary, tag, scope, body } = endpoint
  const parameters = [
    ...parametersOf('path', endpoint.params, schemas),
    ...parametersOf('query', endpoint.query, schemas),
    ...parametersOf('header', endpoint.headers, schemas),
  ]
  return {
    operationId: name,
    summary,
    tags: [tag],
    ...(scope === null ? { security: [] } : neededBy(endpoint)),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { schema: schemaOf(body, schemas, 'input') } },
          },
        }),
    responses: { ...answers(endpoint, schemas), ...refusals(endpoint, schemas) },
  }
}

/** Any of the scopes will do. */
function neededBy({ scope, everyTenant }: Endpoint): Json {
  const scopes = [scope].flat()
  return {
    description: `Scope: ${scopes.join(' or ')}.${everyTenant ? ' The key has to act for every tenant.' : ''}`,
    security: scopes.map((each) => ({ key: [each] })),
  }
}

function parametersOf(where: string, object: z.ZodObject | undefined, schemas: Json): Json[] {
  return Object.entries(object?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: where,
    required: where === 'path' || !(schema as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(schema as z.ZodType, schemas, 'output'),
  }))
}

function answers({ response, media }: Endpoint, schemas: Json): Json {
  const entries = Object.entries(response).map(([status, schema]) => {
    const description = DESCRIPTIONS[status] ?? (Number(status) < 400 ? 'Done' : 'Refused')
    if (schema === null) return [status, { description }]
    const json = schemaOf(schema, schemas, 'output')
    const types = media ?? ['application/json']
    return [
      status,
      { description, content: Object.fromEntries(types.map((type) => [type, { schema: json }])) },
    ]
  })
  return Object.fromEntries(entries)
}

const DESCRIPTIONS: Record<string, string> = {
  200: 'Done',
  201: 'Made',
  202: 'Asked for',
  204: 'Nothing to tell',
}

function refusals(endpoint: Endpoint, schemas: Json): Json {
  const codes = new Set<ErrorCode>([
    'malformed_request',
    ...(endpoint.scope === null ? [] : ALWAYS),
    ...(isUnsafe(endpoint) ? UNSAFE : []),
    ...(endpoint.body === undefined ? [] : WITH_BODY),
    ...endpoint.errors,
  ])
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const content = { 'application/problem+json': { schema: schemaOf(problem, schemas, 'output') } }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [String(status), { description: of.join(', '), content }]),
  )
}

/** Schemas with an id are put into components and named from there. */
function schemaOf(schema: z.ZodType, schemas: Json, io: 'input' | 'output'): Json {
  const {
    $schema: _draft,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Ours are whole numbers by their own bounds; those that zod adds for safe integers only repeat them.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  }) as Json & { $defs?: Record<string, Json> }
  for (const [id, each] of Object.entries($defs)) schemas[id] = relink({ ...each, id: undefined })
  const { id, ...rest } = json
  if (typeof id !== 'string') return relink(json)
  schemas[id] = relink(rest)
  return { $ref: `#/components/schemas/${id}` }
}

function relink(json: Json): Json {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}
