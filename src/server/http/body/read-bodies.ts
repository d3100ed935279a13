/**
 * Reads request bodies as JSON. A small body is parsed at once. A larger one is parsed piece by piece as it arrives, one piece per turn of
 * the event loop, with its connection paused meanwhile. So eight bodies of megabytes take longer, and a lease renewal that arrives
 * beside them waits only a few turns.
 */
import type { IncomingMessage } from 'node:http'
import { TextDecoder } from 'node:util'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { giveWay } from '../../../domain/give-way.js'
import { isForWorkers } from '../../access/admitted.js'
import type { HttpLimits } from '../limits.js'
import { InvalidRequest } from '../problem.js'
import { JsonReader } from './json-reader.js'
import { LargeBodies } from './large-bodies.js'
import { parseSmall } from './small-body.js'

/** Bodies up to this size are parsed at once, in at most some 2 ms. */
const SMALL_BYTES = 16 * 1024
/** Larger bodies are parsed in pieces of this size. */
const PIECE_BYTES = 64 * 1024

type BodyDone = (error: Error | null, body?: unknown) => void

interface BodyRead {
  readonly request: FastifyRequest
  readonly payload: IncomingMessage
  readonly bytesMax: number
  readonly limits: HttpLimits
  readonly slots: LargeBodies
}

export function readBodies(app: FastifyInstance, limits: HttpLimits): void {
  const slots = { workers: new LargeBodies(limits), others: new LargeBodies(limits) }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/problem+json'],
    (request: FastifyRequest, payload: IncomingMessage, done: BodyDone) => {
      const { admitted } = request
      const isWork = admitted !== null && isForWorkers(admitted.endpoint)
      read(
        {
          request,
          payload,
          bytesMax: request.routeOptions.bodyLimit ?? limits.bodyBytesMax,
          limits,
          slots: isWork ? slots.workers : slots.others,
        },
        done,
      )
    },
  )
}

function read(reading: BodyRead, done: BodyDone): void {
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
    readRest(reading, pieces).then(
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

/** Reads the rest of a body whose first pieces have arrived. */
async function readRest(reading: BodyRead, first: readonly Buffer[]): Promise<unknown> {
  const { payload, request, bytesMax, limits } = reading
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  const reader = new JsonReader(limits)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let received = 0
  let hasSlot = false
  let failure: unknown
  const take = async (bytes: Buffer) => {
    if (!hasSlot && (received > limits.largeBodyBytes || declared > limits.largeBodyBytes)) {
      hasSlot = true
      await takeSlot(reading)
    }
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      await giveWay()
      reader.push(decoded(decoder, bytes.subarray(from, from + PIECE_BYTES)))
    }
  }
  for await (const piece of piecesOf(first, payload)) {
    received += piece.length
    if (received > bytesMax) throw problemWith('FST_ERR_CTP_BODY_TOO_LARGE')
    // After an error the rest is read and dropped: a caller that is still sending would not read the response.
    if (failure === undefined) await take(piece).catch((error) => (failure = error))
  }
  if (failure !== undefined) throw failure
  checkLength(declared, received)
  decoded(decoder)
  return reader.end()
}

async function* piecesOf(first: readonly Buffer[], payload: IncomingMessage): AsyncGenerator<Buffer> {
  yield* first
  yield* payload.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>
}

/** Takes a slot until the response is sent or the caller disconnects. */
async function takeSlot({ request, slots }: BodyRead): Promise<void> {
  request.isLarge = true
  const { admitted } = request
  const disconnected = new AbortController()
  const response = admitted?.reply.raw
  response?.once('close', () => disconnected.abort(problemWith('FST_ERR_CTP_INVALID_CONTENT_LENGTH')))
  const free = await slots.enter(admitted?.tenant ?? '*', disconnected.signal)
  if (response === undefined || response.destroyed) return free()
  response.once('close', free).once('finish', free)
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

/** The error Fastify would throw; problem.ts maps its code. */
function problemWith(code: string): Error {
  return Object.assign(new Error(code), { code })
}
