/** The catalogue: what each kind of work takes and how it ends, the same for the same input. And the batch of work that is done here. */
import { loadConfig } from 'holdfast/config'
import { catalogue, type WorkKind } from 'holdfast/testing'
import { exampleFile } from '../support/files.js'
import { between, randomOf } from '../support/random.js'

export const QUEUE = 'work'

const KINDS = {
  'send-email': { durationMs: 400, outcome: 'success' },
  'resize-image': { durationMs: 1_200, outcome: 'success' },
  'render-video': { durationMs: 4_000, outcome: 'success' },
  /** Fails once and succeeds when it is tried again. */
  'charge-card': { durationMs: 400, outcome: 'fail', retryable: true, attempts: 1 },
  /** Fails however often it is tried. */
  'call-partner': { durationMs: 500, outcome: 'fail', retryable: true },
  'parse-upload': { durationMs: 200, outcome: 'fail', retryable: false },
  'expired-offer': { durationMs: 100, outcome: 'cancel' },
} as const satisfies Record<string, WorkKind>

type Kind = keyof typeof KINDS

/** How many jobs of each kind are in the batch. */
const AMOUNTS: Readonly<Record<Kind, number>> = {
  'send-email': 20,
  'resize-image': 15,
  'render-video': 8,
  'charge-card': 6,
  'call-partner': 4,
  'parse-upload': 4,
  'expired-offer': 3,
}

export function kindsAt(speed: number) {
  const faster = Object.entries(KINDS).map(([kind, work]) => [
    kind,
    { ...work, durationMs: Math.round(work.durationMs / speed) },
  ])
  return catalogue(Object.fromEntries(faster) as Record<Kind, WorkKind>, QUEUE)
}

/** The kinds of the batch in the order in which they are enqueued: mixed, and the same each time. */
export function batch(): Kind[] {
  const kinds = Object.entries(AMOUNTS).flatMap(([kind, amount]) => Array<Kind>(amount).fill(kind as Kind))
  const random = randomOf(4)
  for (let last = kinds.length - 1; last > 0; last--) {
    const other = between(random, 0, last)
    const held = kinds[last] as Kind
    kinds[last] = kinds[other] as Kind
    kinds[other] = held
  }
  return kinds
}

/** holdfast.toml of this folder; HOLDFAST_WORKERS_… in the environment goes before it. */
export const config = () => loadConfig({ env: process.env, file: exampleFile('work-kinds/holdfast.toml') })
