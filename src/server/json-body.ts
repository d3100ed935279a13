/** Bodies as JSON: strictly UTF-8, and empty where nothing was sent. What is inside is checked by the contract and by the verbs. */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { InvalidRequest } from './problem.js'

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/problem+json'],
    { parseAs: 'buffer' },
    (_request, body: Buffer, done) => {
      try {
        done(null, parse(body))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

function parse(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw refuse('must be UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    // The position helps; the text around it, which Node also tells, might be somebody's secret.
    const [position] = /position \d+/.exec((error as Error).message) ?? []
    throw refuse(`must be JSON${position === undefined ? '' : `; it is not at ${position}`}`)
  }
}

function refuse(problem: string): InvalidRequest {
  return new InvalidRequest([{ in: 'body', pointer: '/', problem }])
}
