/** The messages between a worker and an isolated handler. Errors are serialized, because cloning drops their classes. */
import type { Measurement } from '../../domain/measure.js'
import type { ClaimedJob } from '../../domain/port.js'
import { type AbortCode, Cancel, GiveUp, outcomeOf, Snooze } from '../outcomes.js'

/** The methods of the context that work from an isolated handler. */
export const CALLS = ['progress', 'report', 'usage', 'heartbeat'] as const
export type CallName = (typeof CALLS)[number]

export interface SerializedError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly outcome: ReturnType<typeof outcomeOf>
  readonly ms?: number
}

export type ToHandler =
  | { readonly run: { readonly module: string; job: ClaimedJob; input: unknown; queue: string } }
  | { readonly abort: { readonly code: AbortCode; readonly message: string } }
  | { readonly reply: { readonly call: number; readonly value?: unknown; readonly error?: SerializedError } }

export type FromHandler =
  | { readonly measured: Measurement }
  | { readonly log: { readonly level: string; readonly message: string; readonly fields?: object } }
  | { readonly call: { readonly call: number; readonly name: CallName; readonly args: unknown[] } }
  | {
      readonly ended: {
        readonly value?: unknown
        readonly error?: SerializedError
        readonly abortSeen: boolean
      }
    }

export function serializeError(thrown: unknown): SerializedError {
  const { name, message, stack, ms } = (
    typeof thrown === 'object' && thrown !== null ? thrown : { message: thrown }
  ) as { name?: unknown; message?: unknown; stack?: unknown; ms?: unknown }
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: String(message),
    stack: typeof stack === 'string' ? stack : undefined,
    outcome: outcomeOf(thrown),
    ...(typeof ms === 'number' ? { ms } : {}),
  }
}

export function deserializeError({ name, message, stack, outcome, ms }: SerializedError): Error {
  const error =
    outcome === 'snooze'
      ? new Snooze(ms ?? 0, message)
      : outcome === 'give_up'
        ? new GiveUp(message)
        : outcome === 'cancel'
          ? new Cancel(message)
          : Object.assign(new Error(message), { name })
  if (stack !== undefined) error.stack = stack
  return error
}
