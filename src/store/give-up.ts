/**
 * What happens near the deadline of a call: the server is asked to cancel it, so that what the caller is told has failed does not happen
 * later. Its answer decides. When the call was ended just in time, that is its result; when the server does not answer, nobody can know, and
 * the error says so (`effect: unknown`).
 */
import { connect } from 'node:net'
import type pg from 'pg'
import { holdfastError } from '../domain/errors.js'

/** The last part of a deadline is the server's, to answer to the cancellation: a quarter of it, and this at most. */
const ANSWER_MS = 1_000
/** The code of a CancelRequest in the protocol of Postgres. */
const CANCEL = 80877102

/** The work of a connection, which ends within `ms`; `onLate` says that the connection is of no further use. */
export function orGiveUp<T>(
  client: pg.PoolClient,
  ms: number,
  work: Promise<T>,
  onLate: (error: Error) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (effect: 'none' | 'unknown') =>
      holdfastError('deadline_exceeded', { ms: Math.round(ms), effect })
    const answerMs = Math.min(ANSWER_MS, ms / 4)
    let isUnsure: (() => boolean) | undefined
    let timer = setTimeout(() => {
      onLate(late('unknown'))
      isUnsure = cancel(client)
      timer = setTimeout(() => reject(late('unknown')), answerMs)
    }, ms - answerMs)
    // Without a race of promises, which costs a call more than its timer.
    work
      .then(
        (value) => (isUnsure?.() ? reject(late('unknown')) : resolve(value)),
        (error: { code?: unknown }) =>
          reject(
            isUnsure === undefined ? error : late(SQLSTATE.test(String(error.code)) ? 'none' : 'unknown'),
          ),
      )
      .finally(() => clearTimeout(timer))
  })
}

/** Of an error that the server itself sent; the transaction was rolled back. */
const SQLSTATE = /^[0-9A-Z]{5}$/

interface Known {
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | Buffer | null
}

/** Answers whether what came back is not to be relied on: a commit that a standby has not confirmed. */
function cancel(client: pg.PoolClient): () => boolean {
  let isUnconfirmed = false
  client.on('notice', ({ code }) => {
    // The wait for a synchronous standby was cut short, too: the transaction is committed here and perhaps nowhere else.
    if (code === '01000') isUnconfirmed = true
  })
  const { host, port, processID, secretKey } = client as unknown as Known
  if (processID === null || secretKey === null) return () => false
  const key = typeof secretKey === 'number' ? int32(secretKey) : secretKey
  const request = Buffer.concat([int32(12 + key.length), int32(CANCEL), int32(processID), key])
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  // Whether it arrives shows in the answer to the call.
  socket.on('error', () => {})
  socket.setTimeout(ANSWER_MS, () => socket.destroy())
  socket.end(request)
  return () => isUnconfirmed
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
