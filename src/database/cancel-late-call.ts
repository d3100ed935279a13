/**
 * Cancels a call near its deadline: the server is asked to cancel the statement, so that a call reported as failed does not take effect
 * later. The server's answer decides. A call that completed just in time succeeds; when the server does not answer, the effect is unknown,
 * and the error contains `effect: unknown`.
 */
import { connect } from 'node:net'
import type pg from 'pg'
import { holdfastError } from '../domain/errors/errors.js'

/** The last part of a deadline is reserved for the server's answer to the cancellation: a quarter of it, and at most this. */
const ANSWER_MS = 1_000
/** The code of a CancelRequest in the Postgres protocol. */
const CANCEL = 80877102

/** Settles within `ms` with the result of `work`; `onLate` is called when the connection must not be used again. */
export function cancelWhenLate<T>(
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
    // No Promise.race, which costs a call more than its timer.
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

/** The code of an error that the server itself sent; the transaction was rolled back. */
const SQLSTATE = /^[0-9A-Z]{5}$/

interface BackendKey {
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | Buffer | null
}

/** Returns a test for a result that is not reliable: a commit that no standby has confirmed. */
function cancel(client: pg.PoolClient): () => boolean {
  let isUnconfirmed = false
  client.on('notice', ({ code }) => {
    // The cancellation also ended the wait for a synchronous standby: the transaction is committed here and perhaps nowhere else.
    if (code === '01000') isUnconfirmed = true
  })
  const { host, port, processID, secretKey } = client as unknown as BackendKey
  if (processID === null || secretKey === null) return () => false
  const key = typeof secretKey === 'number' ? int32(secretKey) : secretKey
  const request = Buffer.concat([int32(12 + key.length), int32(CANCEL), int32(processID), key])
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  // The answer to the call shows whether the request arrived.
  socket.on('error', () => {})
  socket.setTimeout(ANSWER_MS, () => socket.destroy())
  // The other side closes the connection, as with libpq: PgBouncer 1.18 ends with all its clients when this side does so first.
  socket.write(request)
  return () => isUnconfirmed
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
