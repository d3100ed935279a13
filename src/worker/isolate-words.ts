/** What passes between a worker and an isolated handler. Errors travel as plain facts, because classes do not survive the journey. */
import type { Measurement } from '../domain/measure.js'
import type { ClaimedJob } from '../domain/port.js'
import { type AbortCode, Cancel, GiveUp, Snooze, saidBy } from './outcomes.js'

/** What a handler may ask of its context from there. */
export const CALLS = ['progress', 'report', 'usage', 'heartbeat'] as const
export type CallName = (typeof CALLS)[number]

export interface ErrorWords {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly said: ReturnType<typeof saidBy>
  readonly ms?: number
}

export type ToHandler =
  | { readonly run: { readonly module: string; job: ClaimedJob; input: unknown; queue: string } }
  | { readonly abort: { readonly code: AbortCode; readonly message: string } }
  | { readonly reply: { readonly call: number; readonly value?: unknown; readonly error?: ErrorWords } }

export type FromHandler =
  | { readonly measured: Measurement }
  | { readonly log: { readonly level: string; readonly message: string; readonly fields?: object } }
  | { readonly call: { readonly call: number; readonly name: CallName; readonly args: unknown[] } }
  | { readonly ended: { readonly value?: unknown; readonly error?: ErrorWords; readonly heard: boolean } }

export function toWords(thrown: unknown): ErrorWords {
  const { name, message, stack, ms } = (
    typeof thrown === 'object' && thrown !== null ? thrown : { message: thrown }
  ) as { name?: unknown; message?: unknown; stack?: unknown; ms?: unknown }
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: String(message),
    stack: typeof stack === 'string' ? stack : undefined,
    said: saidBy(thrown),
    ...(typeof ms === 'number' ? { ms } : {}),
  }
}

export function fromWords({ name, message, stack, said, ms }: ErrorWords): Error {
  const error =
    said === 'snooze'
      ? new Snooze(ms ?? 0, message)
      : said === 'give_up'
        ? new GiveUp(message)
        : said === 'cancel'
          ? new Cancel(message)
          : Object.assign(new Error(message), { name })
  if (stack !== undefined) error.stack = stack
  return error
}
