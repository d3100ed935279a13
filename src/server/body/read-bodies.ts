/**
 * Bodies, as JSON. One that comes in a piece or two is parsed at once. A larger one is read piece by piece while it comes, one piece of one body
 * in a turn of the event loop, and the connection is not read further meanwhile; so eight bodies of megabytes take their time, and
 * a renewal that comes beside them takes a few turns.
 */
import type { IncomingMessage } from 'node:http'
import { TextDecoder } from 'node:util'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { giveWay } from '../../domain/give-way.js'
import { isOfWorker, letIn } from '../let-in.js'
import type { HttpLimits } from '../limits.js'
import { InvalidRequest } from '../problem.js'
import { JsonReader } from './json-reader.js'
import { LargeBodies } from './large-bodies.js'
import { parseSmall } from './small-body.js'

/** What is parsed without giving way: it takes at most some 2 ms. */
const SMALL_BYTES = 16 * 1024
/** Of what is read on, so much in a turn. */
const PIECE_BYTES = 64 * 1024

type Done = (error: Error | null, body?: unknown) => void

interface Reading {
  readonly request: FastifyRequest
  readonly payload: IncomingMessage
  readonly bytesMax: number
  readonly limits: HttpLimits
  readonly places: LargeBodies
}

export function readBodies(app: FastifyInstance, limits: HttpLimits): void {
  const places = { ofWork: new LargeBodies(limits), other: new LargeBodies(limits) }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/problem+json'],
    (request: FastifyRequest, payload: IncomingMessage, done: Done) => {
      const known = letIn.get(request)
      const isWork = known !== undefined && isOfWorker(known.endpoint)
      read(
        {
          request,
          payload,
          bytesMax: request.routeOptions.bodyLimit ?? limits.bodyBytesMax,
          limits,
          places: isWork ? places.ofWork : places.other,
        },
        done,
      )
    },
  )
}

function read(reading: Reading, done: Done): void {
  const { request, payload, bytesMax, limits } = reading
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > bytesMax) {
    done(problemWith('FST_ERR_CTP_BODY_TOO_LARGE'))
    return
  }
  const pieces: Buffer[] = []
  let received = 0
  const stop = () => {
    payload.off('data', onData).off('end', onEnd).off('error', onError)
  }
  const onData = (piece: Buffer) => {
    pieces.push(piece)
    received += piece.length
    if (received <= SMALL_BYTES && !(declared > SMALL_BYTES)) return
    payload.pause()
    stop()
    readOn(reading, pieces).then(
      (body) => done(null, body),
      (error) => done(payload.destroyed ? Object.assign(error, { statusCode: 400 }) : error),
    )
  }
  const onEnd = () => {
    stop()
    try {
      checkLength(declared, received)
      done(null, parseSmall(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces), limits))
    } catch (error) {
      done(error as Error)
    }
  }
  const onError = (error: Error) => {
    stop()
    done(Object.assign(error, { statusCode: 400 }))
  }
  payload.on('data', onData).on('end', onEnd).on('error', onError)
}

/** The rest of a body of which these pieces are here. */
async function readOn(reading: Reading, begun: readonly Buffer[]): Promise<unknown> {
  const { payload, request, bytesMax, limits } = reading
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  const reader = new JsonReader(limits)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let received = 0
  let hasPlace = false
  let refused: unknown
  const take = async (bytes: Buffer) => {
    if (!hasPlace && (received > limits.largeBodyBytes || declared > limits.largeBodyBytes)) {
      hasPlace = true
      await takePlace(reading)
    }
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      await giveWay()
      reader.push(decoded(decoder, bytes.subarray(from, from + PIECE_BYTES)))
    }
  }
  for await (const piece of piecesOf(begun, payload)) {
    received += piece.length
    if (received > bytesMax) throw problemWith('FST_ERR_CTP_BODY_TOO_LARGE')
    // Once refused, what is still on its way is dropped: a caller that is still sending would not read the answer.
    if (refused === undefined) await take(piece).catch((error) => (refused = error))
  }
  if (refused !== undefined) throw refused
  checkLength(declared, received)
  decoded(decoder)
  return reader.end()
}

async function* piecesOf(begun: readonly Buffer[], payload: IncomingMessage): AsyncGenerator<Buffer> {
  yield* begun
  yield* payload.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>
}

/** Bodies that have a place among the large ones. */
const large = new WeakSet<FastifyRequest>()

export function isLarge(request: FastifyRequest): boolean {
  return large.has(request)
}

/** Held until the call is answered, or its caller has gone. */
async function takePlace({ request, places }: Reading): Promise<void> {
  large.add(request)
  const known = letIn.get(request)
  const gone = new AbortController()
  const response = known?.reply.raw
  response?.once('close', () => gone.abort(problemWith('FST_ERR_CTP_INVALID_CONTENT_LENGTH')))
  const leave = await places.enter(known?.tenant ?? '*', gone.signal)
  if (response === undefined || response.destroyed) return leave()
  response.once('close', leave).once('finish', leave)
}

function decoded(decoder: TextDecoder, bytes?: Buffer): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch {
    throw new InvalidRequest([{ in: 'body', pointer: '/', problem: 'must be UTF-8' }])
  }
}

function checkLength(declared: number, received: number): void {
  if (!Number.isNaN(declared) && declared !== received)
    throw problemWith('FST_ERR_CTP_INVALID_CONTENT_LENGTH')
}

/** As Fastify would refuse it; problem.ts knows these. */
function problemWith(code: string): Error {
  return Object.assign(new Error(code), { code })
}
