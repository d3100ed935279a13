/**
 * One call of a webhook. It goes to an address that was checked, is not redirected, has a deadline and reads nothing of the answer
 * but its status: the body may come from another receiver than intended, and no one needs it. The deadline is a timer of
 * its own: whatever the receiver does with the connection, the call is settled when it fires.
 */
import { type ClientRequest, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import { HoldfastError } from '../domain/errors/errors.js'
import { type Address, checkWebhookUrl, resolveWebhook, type WebhookOptions } from './addresses.js'
import { sign } from './signature.js'

export interface Message {
  /** The same each time it is sent. */
  readonly id: string
  readonly body: string
}

export interface SendResult {
  readonly arrived: boolean
  readonly status: number | null
  /** Why it has not arrived, without details of this network. */
  readonly error: string | null
}

const CALL_TIMEOUT_MS = 10_000
const CALL_TIMEOUT_MAX_MS = 60_000

/** How long one call may take. */
export function callTimeoutMs({ timeoutMs = CALL_TIMEOUT_MS }: WebhookOptions): number {
  return Math.min(timeoutMs, CALL_TIMEOUT_MAX_MS)
}

/** Throws the reason of `stopping` if that aborted the call: then it is unknown whether it arrived. */
export async function sendWebhook(
  target: { readonly url: string; readonly secret: string },
  message: Message,
  options: WebhookOptions = {},
  stopping?: AbortSignal,
): Promise<SendResult> {
  const timeoutMs = callTimeoutMs(options)
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(new TooLate(timeoutMs)), timeoutMs)
  const stop = () => ended.abort(stopping?.reason)
  stopping?.addEventListener('abort', stop)
  try {
    stopping?.throwIfAborted()
    const url = checkWebhookUrl(target.url, options)
    // Under one deadline, so that a resolver that hangs takes no longer than a receiver that does.
    const address = await unlessAborted(resolveWebhook(url, options), ended.signal)
    const sent = { ...message, secret: target.secret, ca: options.ca, signal: ended.signal }
    return answerOf(await unlessAborted(call(url, address, sent), ended.signal))
  } catch (error) {
    stopping?.throwIfAborted()
    return { arrived: false, status: null, error: problemOf(error) }
  } finally {
    clearTimeout(timer)
    stopping?.removeEventListener('abort', stop)
  }
}

class TooLate extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1000} s`)
  }
}

function answerOf(status: number): SendResult {
  if (status >= 200 && status < 300) return { arrived: true, status, error: null }
  const redirect = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  return { arrived: false, status, error: `the answer was ${status}${redirect}` }
}

interface Sent extends Message {
  readonly secret: string
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

function call(
  url: URL,
  { address, family }: Address,
  { id, body, secret, ca, signal }: Sent,
): Promise<number> {
  // The name stays what the certificate is checked against; where it leads has been decided.
  const pinned: LookupFunction = (_hostname, { all }, found) =>
    all ? found(null, [{ address, family }]) : found(null, address, family)
  const request = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, {
    method: 'POST',
    lookup: pinned,
    // A connection of its own: one that is kept could have been made before the name was checked.
    agent: false,
    signal,
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'holdfast',
      ...sign(secret, id, body),
    },
  })
  const status = statusOf(request)
  request.end(body)
  return status
}

/** Of whatever comes first: an answer, a change of protocol that was never asked for, an error, or the end of the connection. */
function statusOf(request: ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('response', (answer) => {
      resolve(answer.statusCode ?? 0)
      answer.destroy()
    })
    request.on('upgrade', (answer, socket) => {
      resolve(answer.statusCode ?? 0)
      socket.destroy()
    })
    request.on('error', reject)
    // Node ends a connection without an error in some cases; after the others this changes nothing.
    request.on('close', () => reject(new Error('the connection was closed without an answer')))
  })
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

function problemOf(error: unknown): string {
  if (error instanceof HoldfastError || error instanceof TooLate) return error.message
  return (error as NodeJS.ErrnoException).code ?? 'the call failed'
}
