/**
 * What workers say beside the outcome, made storable. What does not fit is cleaned and flagged, never refused: a completion
 * must not fail over a log line.
 */
import { cleanJson, cleanText } from '../domain/clean.js'
import { errorFacts } from '../domain/failure.js'
import { LIMITS } from '../domain/limits.js'
import { checkJson } from '../domain/validate.js'
import type { Ending, Report } from './rows.js'

/** What comes with the end of an attempt, as JSON; null when there is nothing to say. */
export function saidAtTheEnd(ending: Ending): string | null {
  const { result, reason, error, log, retryable, delayMs, began } = ending
  if ([result, reason, error, log, retryable, delayMs, began].every((value) => value === undefined))
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
  if (began !== undefined) put('began', String(Boolean(began)))
  if (cleaned.length > 0) parts.push(`"cleaned":${JSON.stringify(cleaned)}`)
  return `{${parts.join(',')}}`
}

/**
 * What a report says beside its items. Progress is for people to look at, and what comes with the end of a job must not
 * prevent it: cleaned and flagged. The cursor of a job that goes on is refused instead, because the next worker would go on
 * from a place nobody meant.
 */
export function saidInReport({ progress, cursor, result, done = false, doneReason }: Report) {
  const cleaned: string[] = []
  const tidy = (name: string, value: unknown, bytesMax: number): string | null => {
    if (value === undefined || value === null) return null
    const clean = cleanJson(value, bytesMax)
    if (clean.cleaned) cleaned.push(name)
    return clean.json
  }
  const { progressBytesMax, cursorBytesMax, resultBytesMax, errorMessageBytesMax } = LIMITS
  const said = {
    progress: tidy('progress', progress, progressBytesMax.default),
    cursor: done ? tidy('cursor', cursor, cursorBytesMax.default) : cursorJson(cursor),
    result: tidy('result', result, resultBytesMax.default),
  }
  if (doneReason === undefined) return { ...said, doneReason: null, cleaned }
  const reason = cleanText(doneReason, errorMessageBytesMax.default)
  if (reason.cleaned) cleaned.push('reason')
  return { ...said, doneReason: reason.text, cleaned }
}

function cursorJson(cursor: unknown): string | null {
  if (cursor === undefined || cursor === null) return null
  return checkJson(cursor, {
    path: '/cursor',
    bytesMax: LIMITS.cursorBytesMax.default,
    limit: 'cursorBytesMax',
  })
}

/** A duration that makes no sense is left out, and one past what the database takes is cut: neither is worth a refusal. */
export function wholeMs(ms: number | undefined): number | null {
  return ms === undefined || Number.isNaN(ms) ? null : Math.round(Math.min(Math.max(ms, 0), INT4_MAX))
}

const INT4_MAX = 2 ** 31 - 1
