/** The contract as an OpenAPI 3.1 document. Schemas with an id become components. */
import { z } from 'zod'
import { type Endpoint, isUnsafe } from '../../contract/endpoint.js'
import { problem } from '../../contract/problem.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { ERRORS, type ErrorCode } from '../../domain/errors/errors.js'
import type { Route } from './route.js'

type Json = Record<string, unknown>

/** In display order. */
const TAGS: Readonly<Record<string, string>> = {
  jobs: 'Create, search and read jobs',
  commands: 'Cancel, retry, resume and other commands of operators',
  bulk: 'Commands on every job that a search finds',
  views: 'Saved searches',
  stats: 'Overview, charts, kinds and groups of errors',
  queues: 'Queues, their policies, and blocked targets',
  workers: 'Registered workers',
  schedules: 'Cron schedules and maintenance windows',
  subjects: 'Subjects that are worked on repeatedly',
  items: 'Items that jobs have reported',
  live: 'Live events',
  work: 'The worker protocol: claim, renew, report, finish',
  alerts: 'Alerts and alert rules',
  webhooks: 'Webhooks that receive alerts',
  settings: 'Settings that take effect without a restart',
  upkeep: 'Background chores and running them now',
  tenants: 'Tenants and their limits',
  keys: 'API keys',
  audit: 'Audit log of calls that may change something',
  harvest: 'Endpoints of the harvest preset: pull and report',
  crawl: 'Endpoints of the crawl preset: administration of crawls',
  target: 'Endpoints of the target preset: resume a job',
  health: 'Health checks and metrics',
  status: 'Status page without scripts',
  session: 'Sessions of browsers',
  dashboard: 'Page and files of the dashboard',
  docs: 'This API as OpenAPI and as a page',
}

/** Errors that every route with a key can return, besides its own. */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_input',
  'unauthorized',
  'scope_missing',
  'wrong_tenant',
  'limit_exceeded',
]
const UNSAFE: readonly ErrorCode[] = ['cross_site', 'csrf_token_missing', 'read_only']
const WITH_BODY: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']

export function openApiDocument(routes: readonly Route[]): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const { name, endpoint } of routes.filter((route) => !hasTrailingSlashTwin(route, routes))) {
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

/** A path that differs from another only by a trailing slash is served, but not documented twice. */
function hasTrailingSlashTwin({ endpoint: { method, path } }: Route, routes: readonly Route[]): boolean {
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
    ...(scope === null ? { security: [] } : securityOf(endpoint)),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { schema: schemaOf(body, schemas, 'input') } },
          },
        }),
    responses: { ...successes(endpoint, schemas), ...errorsOf(endpoint, schemas) },
  }
}

/** The key needs one of the scopes. */
function securityOf({ scope, everyTenant }: Endpoint): Json {
  const scopes = [scope].flat()
  return {
    description: `Scope: ${scopes.join(' or ')}.${everyTenant ? ' Needs a key for all tenants.' : ''}`,
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

function successes({ response, media }: Endpoint, schemas: Json): Json {
  const entries = Object.entries(response).map(([status, schema]) => {
    const description = DESCRIPTIONS[status] ?? (Number(status) < 400 ? 'Success' : 'Error')
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
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
}

function errorsOf(endpoint: Endpoint, schemas: Json): Json {
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
    [...byStatus].map(([status, found]) => [String(status), { description: found.join(', '), content }]),
  )
}

/** Moves schemas with an id to components and references them. */
function schemaOf(schema: z.ZodType, schemas: Json, io: 'input' | 'output'): Json {
  const {
    $schema: _draft,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Bounds that zod adds to every integer; they would only be noise.
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
