/** The parts of a request against the schemas of its route. All problems are told, up to a bound, each with where it is. */
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Endpoint } from '../contract/endpoint.js'
import { noSuchField, valueAt, wordsFor } from './field-words.js'
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
    problems.push(...problemsOf(where, parsed.error, schema, value))
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

function problemsOf(
  where: FieldProblem['in'],
  { issues }: z.ZodError,
  schema: z.ZodType,
  value: unknown,
): FieldProblem[] {
  return issues.slice(0, PROBLEMS_MAX).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [{ in: where, pointer: pointerOf(issue.path), problem: said(where, issue, value) }]
    return issue.keys.slice(0, PROBLEMS_MAX).map((key) => ({
      in: where,
      pointer: pointerOf([...issue.path, key]),
      problem: noSuchField(key, schema, issue.path),
    }))
  })
}

function said(where: FieldProblem['in'], issue: z.core.$ZodIssue, value: unknown): string {
  if (where === 'body' && value === undefined) return 'a body is needed, as JSON'
  const sent = valueAt(value, issue.path)
  return where === 'path' && sent === '' ? 'is missing in the address' : wordsFor(issue, sent)
}
