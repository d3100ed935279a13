/** One page on a run: what was done to it, what it did, what it saw, and whether any promise was broken. */
import { CHECKS } from './check/all.js'
import type { Evidence, Violation } from './evidence.js'
import type { Deed } from './nemesis.js'
import { type Fault, sortOf } from './timeline.js'

export interface Findings {
  readonly check: string
  readonly violations: readonly Violation[]
}

export interface Result {
  readonly seed: number
  readonly seconds: number
  readonly workers: number
  readonly mutant: string | null
  readonly command: string
  readonly began: Date
  /** Jobs that had not ended when everything was well again, and how long they then took. */
  readonly leftToDrain: number
  readonly drainedInMs: number
  readonly deeds: readonly Deed[]
  readonly counts: Readonly<Record<string, number>>
  /** What a run must have seen to count. */
  readonly seen: Readonly<Record<string, number>>
  /** Sorts of faults that were to be done and never could be. */
  readonly undone: readonly string[]
  /** What a slow drain waited for. */
  readonly heldUp: readonly string[]
  readonly findings: readonly Findings[]
  readonly folder: string | null
}

export function check(evidence: Evidence): Findings[] {
  return Object.entries(CHECKS).map(([name, look]) => ({ check: name, violations: look(evidence) }))
}

export function violationsOf({ findings }: Pick<Result, 'findings'>): Violation[] {
  return findings.flatMap(({ violations }) => violations)
}

/** Each sort of fault the timeline has must have been done once; what could not be done while the server was away does not count. */
export function undone(timeline: readonly Fault[], deeds: readonly Deed[]): string[] {
  const done = new Set(deeds.filter(({ failed }) => failed === undefined).map(({ fault }) => sortOf(fault)))
  return [...new Set(timeline.map(sortOf))].filter((sort) => !done.has(sort))
}

/** What the run was to see and has not: then it proves nothing. */
export function unseen({ seen, undone }: Pick<Result, 'seen' | 'undone'>): string[] {
  return [...Object.entries(seen).flatMap(([name, count]) => (count > 0 ? [] : [name])), ...undone]
}

export function verdict(result: Result): 'held' | 'broken' | 'vacuous' {
  if (violationsOf(result).length > 0) return 'broken'
  return unseen(result).length > 0 ? 'vacuous' : 'held'
}

/** When the first violation happened, in seconds of the run; null when no violation says when. */
function firstAt(result: Result): number | null {
  const times = violationsOf(result).flatMap(({ at }) => (at === undefined ? [] : [at.getTime()]))
  // The workers are at it before the first fault.
  return times.length === 0 ? null : Math.max(0, (Math.min(...times) - result.began.getTime()) / 1_000)
}

export function page(result: Result): string {
  const { seed, seconds, workers, mutant, deeds, counts, seen, drainedInMs, findings, command } = result
  const done = new Map<string, number>()
  for (const { fault, failed } of deeds) {
    const name = failed === undefined ? sortOf(fault) : `${sortOf(fault)} (not possible then)`
    done.set(name, (done.get(name) ?? 0) + 1)
  }
  const lines = [
    `Chaos, random seed ${seed}, ${seconds} s, ${workers} workers${mutant === null ? '' : `, MUTANT ${mutant}`}`,
    '',
    `Done to it   ${[...done].map(([name, times]) => `${name} ${times}`).join(' · ')}`,
    `It did       ${said(counts)}`,
    `It saw       ${said(seen)}`,
    `Drained in   ${(drainedInMs / 1_000).toFixed(1)} s, of ${result.leftToDrain} jobs`,
    ...result.heldUp.map((line) => `  waited for ${line}`),
    '',
    ...findings.map(({ check, violations }) =>
      violations.length === 0 ? `  ok  ${check}` : `  NO  ${check}: ${violations.length}`,
    ),
    '',
    ...violationsOf(result).slice(0, 12).map(line),
    ...conclusion(result),
    `Again: ${command}`,
  ]
  return lines.join('\n')
}

function said(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(' · ')
}

function line({ rule, job, detail, at }: Violation): string {
  const who = job === undefined ? '' : ` job ${job}`
  return `  ${rule}:${who} ${detail}${at === undefined ? '' : ` (${at.toISOString()})`}`
}

function conclusion(result: Result): string[] {
  const where = result.folder === null ? [] : [`Journals, logs and the database's files: ${result.folder}`]
  switch (verdict(result)) {
    case 'held':
      return ['Every promise held.']
    case 'broken': {
      const first = firstAt(result)
      const when = first === null ? '' : `, the first after ${first.toFixed(1)} s`
      return [`${violationsOf(result).length} violations${when}.`, ...where]
    }
    case 'vacuous':
      return [`No violation, but the run proves nothing: it saw no ${unseen(result).join(', no ')}.`]
  }
}
