/**
 * Encodes what a worker sends with an outcome or a report: result, error, log, progress. Values that do not fit are cleaned and flagged,
 * never refused: a completion must not fail because of a log line.
 */

import { cleanJson, cleanText } from '../../domain/clean.js'
import { errorFacts } from '../../domain/errors/failure.js'
import { LIMITS } from '../../domain/limits.js'
import { checkJson } from '../../domain/validate.js'
import type { Ending, Report } from '../rows.js'

/** The details of an ended attempt as JSON; null when there are none. */
export function encodeEndDetails(ending: Ending): string | null {
  const { result, reason, error, log, retryable, delayMs, started } = ending
  if ([result, reason, error, log, retryable, delayMs, started].every((value) => value === undefined))
    return null
  const cleaned: string[] = []
  const parts: string[] = []
  const put = (name: string, json: string, touched = false) => {
    if (touched) cleaned.push(name)
    parts.push(`"${name}":${json}`)
  }
  if (result !== undefined) {
    const tidy = cleanJson(result)
    put('result', tidy.json, tidy.cleaned)
  }
  if (error !== undefined) {
    const { cleaned: touched, ...facts } = errorFacts(error)
    put('error', JSON.stringify(facts), touched)
  }
  if (log !== undefined) {
    const tidy = cleanText(log, LIMITS.logExcerptBytesMax.default, 'tail')
    put('log', JSON.stringify(tidy.text), tidy.cleaned)
  }
  if (reason !== undefined) {
    const tidy = cleanText(reason, LIMITS.errorMessageBytesMax.default)
    put('reason', JSON.stringify(tidy.text), tidy.cleaned)
  }
  if (retryable !== undefined) put('retryable', String(Boolean(retryable)))
  if (delayMs !== undefined) put('delay_ms', String(delayMs))
  if (started !== undefined) put('started', String(Boolean(started)))
  if (cleaned.length > 0) parts.push(`"cleaned":${JSON.stringify(cleaned)}`)
  return `{${parts.join(',')}}`
}

/**
 * The fields of a report other than its items. Progress, and everything sent with the end of a job, is cleaned and flagged. The cursor of
 * a job that continues is refused instead, because the next attempt would resume from a wrong position.
 */
export function encodeReport({ progress, cursor, result, done = false, doneReason }: Report) {
  const cleaned: string[] = []
  const tidy = (name: string, value: unknown, bytesMax: number): string | null => {
    if (value === undefined || value === null) return null
    const clean = cleanJson(value, bytesMax)
    if (clean.cleaned) cleaned.push(name)
    return clean.json
  }
  const { progressBytesMax, cursorBytesMax, resultBytesMax, errorMessageBytesMax } = LIMITS
  const encoded = {
    progress: tidy('progress', progress, progressBytesMax.default),
    cursor: done ? tidy('cursor', cursor, cursorBytesMax.default) : cursorJson(cursor),
    result: tidy('result', result, resultBytesMax.default),
  }
  if (doneReason === undefined) return { ...encoded, doneReason: null, cleaned }
  const reason = cleanText(doneReason, errorMessageBytesMax.default)
  if (reason.cleaned) cleaned.push('reason')
  return { ...encoded, doneReason: reason.text, cleaned }
}

function cursorJson(cursor: unknown): string | null {
  if (cursor === undefined || cursor === null) return null
  return checkJson(cursor, {
    path: '/cursor',
    bytesMax: LIMITS.cursorBytesMax.default,
    limit: 'cursorBytesMax',
  })
}

/** Drops a duration that is not a number, and clamps one that the database cannot store: neither is worth a refusal. */
export function wholeMs(ms: number | undefined): number | null {
  return ms === undefined || Number.isNaN(ms) ? null : Math.round(Math.min(Math.max(ms, 0), INT4_MAX))
}

const INT4_MAX = 2 ** 31 - 1
