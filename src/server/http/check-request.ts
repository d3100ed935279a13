/** Validates a request against the schemas of its route. Reports all problems, up to a limit, each with its location. */
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.js'
import { unknownField } from '../../domain/nearest.js'
import { explainIssue, fieldsAt, valueAt } from './explain-issue.js'
import { type FieldProblem, InvalidRequest, pointerOf } from './problem.js'
import { ignoredParameters } from './warning.js'

export interface Parts {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
  /** For the caller of a request that is carried out. */
  readonly warnings: readonly string[]
}

const PROBLEMS_MAX = 20

export function checkRequest(endpoint: Endpoint, request: FastifyRequest): Parts {
  const problems: FieldProblem[] = []
  const part = (where: FieldProblem['in'], schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    problems.push(...problemsOf(where, parsed.error, schema, value))
    return undefined
  }
  const query = { ...(request.query as object) } as Record<string, unknown>
  const warnings = endpoint.unknownQuery === 'ignored' ? withoutUnknown(query, endpoint.query) : []
  const parts = {
    params: part('path', endpoint.params, { ...(request.params as object) }),
    query: part('query', endpoint.query, query),
    headers: part('header', endpoint.headers, request.headers),
    body: part('body', endpoint.body, request.body),
    warnings,
  }
  if (endpoint.query === undefined && Object.keys(query).length > 0) {
    problems.push({ in: 'query', pointer: '/', problem: 'this route takes no query parameters' })
  }
  if (problems.length > 0) throw new InvalidRequest(problems.slice(0, PROBLEMS_MAX))
  return parts
}

/** Removes the parameters that the endpoint does not have, and returns a warning about them. */
function withoutUnknown(query: Record<string, unknown>, schema: Endpoint['query']): string[] {
  const unknown = Object.keys(query).filter((name) => !Object.hasOwn(schema?.shape ?? {}, name))
  for (const name of unknown) delete query[name]
  return unknown.length === 0 ? [] : [ignoredParameters(unknown)]
}

function problemsOf(
  where: FieldProblem['in'],
  { issues }: z.ZodError,
  schema: z.ZodType,
  value: unknown,
): FieldProblem[] {
  return issues.slice(0, PROBLEMS_MAX).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [{ in: where, pointer: pointerOf(issue.path), problem: explain(where, issue, value) }]
    return issue.keys.slice(0, PROBLEMS_MAX).map((key) => ({
      in: where,
      pointer: pointerOf([...issue.path, key]),
      problem: unknownField(key, fieldsAt(schema, issue.path)),
    }))
  })
}

function explain(where: FieldProblem['in'], issue: z.core.$ZodIssue, value: unknown): string {
  if (where === 'body' && value === undefined) return 'a JSON body is required'
  const sent = valueAt(value, issue.path)
  return where === 'path' && sent === '' ? 'is missing in the path' : explainIssue(issue, sent)
}
