/** A state as a small coloured label. Colour means state and nothing else. */
import type { ComponentChildren } from 'preact'
import type { State } from '../../../src/domain/states/states.js'

/** good: ended well. busy: running. time: waits for time or a person. held: held by something. bad: failed. */
export type Tone = 'good' | 'busy' | 'time' | 'held' | 'bad' | 'quiet'

const TONE_OF: Record<State, Tone> = {
  pending: 'time',
  waiting: 'held',
  paused: 'time',
  errored: 'bad',
  parked: 'held',
  scheduled: 'time',
  retrying: 'time',
  queued: 'quiet',
  assigned: 'busy',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'quiet',
}

export function toneOf(state: string): Tone {
  return TONE_OF[state as State] ?? 'quiet'
}

export function Badge({
  tone = 'quiet',
  children,
  title,
}: {
  tone?: Tone
  children: ComponentChildren
  title?: string
}) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  )
}

/** The state of a job, in the state word of its preset. */
export function StateBadge({ state, status }: { readonly state: string; readonly status?: string }) {
  const shown = status ?? state
  return (
    <Badge tone={toneOf(state)} title={shown === state ? undefined : state}>
      {shown.toLowerCase()}
    </Badge>
  )
}
