/** The parts of a request against the schemas of its route. All problems are told, up to a bound, each with where it is. */
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Endpoint } from '../contract/endpoint.js'
import { suggestion } from '../domain/nearest.js'
import { type FieldProblem, InvalidRequest, pointerOf } from './problem.js'

export interface Parts {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
}

const PROBLEMS_MAX = 20

export function checkRequest(endpoint: Endpoint, request: FastifyRequest): Parts {
  const problems: FieldProblem[] = []
  const part = (where: FieldProblem['in'], schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    problems.push(...problemsOf(where, parsed.error, schema))
    return undefined
  }
  const parts = {
    params: part('path', endpoint.params, { ...(request.params as object) }),
    query: part('query', endpoint.query, { ...(request.query as object) }),
    headers: part('header', endpoint.headers, request.headers),
    body: part('body', endpoint.body, request.body),
  }
  if (endpoint.query === undefined && Object.keys(request.query as object).length > 0) {
    problems.push({ in: 'query', pointer: '/', problem: 'this address takes no parameters' })
  }
  if (problems.length > 0) throw new InvalidRequest(problems.slice(0, PROBLEMS_MAX))
  return parts
}

function problemsOf(where: FieldProblem['in'], error: z.ZodError, schema: z.ZodType): FieldProblem[] {
  return error.issues.slice(0, PROBLEMS_MAX).flatMap((issue) => {
    const pointer = pointerOf(issue.path)
    if (issue.code !== 'unrecognized_keys') return [{ in: where, pointer, problem: said(issue, where) }]
    const known = Object.keys((schema as { shape?: object }).shape ?? {})
    return issue.keys.slice(0, PROBLEMS_MAX).map((key) => ({
      in: where,
      pointer: pointerOf([...issue.path, key]),
      problem: `there is no such field.${issue.path.length > 0 ? '' : suggestion(key, known)}`,
    }))
  })
}

function said(issue: z.core.$ZodIssue, where: FieldProblem['in']): string {
  if (issue.code === 'invalid_type' && issue.path.length === 0 && where === 'body')
    return 'a body is needed, as JSON'
  return issue.message
}
