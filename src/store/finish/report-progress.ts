/** Saves progress of a running job: items, a cursor, counters, tokens. One fenced transaction. */

import type { Session } from '../../database/database.js'
import { holdfastError, invalidInput, LeaseLost } from '../../domain/errors/errors.js'
import { mapInSlices } from '../../domain/give-way.js'
import { LIMITS } from '../../domain/limits.js'
import { checkItems, checkJson, checkLeaseMs, checkWhole } from '../../domain/validate.js'
import { fromRow, type Report, type Reported } from '../rows.js'
import { encodeReport } from './encode-details.js'

export async function reportProgress(session: Session, report: Report): Promise<Reported> {
  const items = await itemsText(report.items ?? [])
  const encoded = encodeReport(report)
  const [row] = await session.query<Record<string, unknown>>(
    `select accepted, done, done_reason, new_items, duplicate_items, progress_count, result_count, tokens_used, token_limit, cancel_requested,
       expires_at
     from holdfast.report($1, $2, $3, $4::text::jsonb, $5::text::jsonb, $6::text::jsonb, $7, $8, $9, $10, $11::text::jsonb, $12, $13)`,
    [
      report.jobId,
      report.attempt,
      report.lease,
      items,
      encoded.cursor,
      encoded.progress,
      checkWhole(report.tokens ?? 0, '/tokens', { min: 0 }),
      report.extendMs === undefined ? null : checkLeaseMs(report.extendMs, '/extendMs'),
      report.done ?? false,
      encoded.doneReason,
      encoded.result,
      encoded.cleaned,
      report.seq === undefined ? null : checkWhole(report.seq, '/seq', { min: 0, max: 2 ** 31 - 1 }),
    ],
    { repeatable: true },
  )
  const { accepted, ...answer } = fromRow<Reported & { accepted: boolean }>(row ?? {})
  if (!accepted) throw new LeaseLost({ job: report.jobId, attempt: report.attempt })
  return answer
}

/** Checks each item once; joining their texts is cheaper than encoding the list. */
async function itemsText(given: readonly unknown[]): Promise<string> {
  const bytesMax = LIMITS.reportBytesMax.default
  const items = await mapInSlices(checkItems(given), (item, index) => {
    const path = `/items/${index}`
    if (item === undefined) throw invalidInput(path, 'undefined cannot be written as JSON; use null')
    return checkJson(item, { path, bytesMax: LIMITS.itemBytesMax.default, limit: 'itemBytesMax' })
  })
  const text = `[${items.join(',')}]`
  if (Buffer.byteLength(text) > bytesMax)
    throw holdfastError('payload_too_large', { path: '/items', limit: 'reportBytesMax', max: bytesMax })
  return text
}
