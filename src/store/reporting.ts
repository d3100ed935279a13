/** A worker's word on a job it is still at, as it is sent: checked, made storable, and refused when the job is not its any more. */
import { holdfastError, LeaseLost } from '../domain/errors.js'
import { LIMITS } from '../domain/limits.js'
import { checkItems, checkJson, checkLeaseMs } from '../domain/validate.js'
import type { Database } from './database.js'
import { fromRow, type Report, type Reported } from './rows.js'
import { saidInReport } from './said.js'

export async function reportIn(database: Database, report: Report): Promise<Reported> {
  const items = checkItems(report.items ?? [])
  const text = checkJson(items, {
    path: '/items',
    bytesMax: LIMITS.reportBytesMax.default,
    limit: 'reportBytesMax',
  })
  items.forEach((item, index) => {
    checkJson(item, {
      path: `/items/${index}`,
      bytesMax: LIMITS.itemBytesMax.default,
      limit: 'itemBytesMax',
    })
  })
  const said = saidInReport(report)
  const [row] = await database.query<Record<string, unknown>>(
    `select accepted, done, done_reason, new_items, duplicate_items, progress_count, result_count, tokens_used, token_limit, cancel_requested,
       expires_at
     from holdfast.report($1, $2, $3, $4::text::jsonb, $5::text::jsonb, $6::text::jsonb, $7, $8, $9, $10, $11::text::jsonb, $12)`,
    [
      report.jobId,
      report.attempt,
      report.lease,
      text,
      said.cursor,
      said.progress,
      checkTokens(report.tokens ?? 0),
      report.extendMs === undefined ? null : checkLeaseMs(report.extendMs, '/extendMs'),
      report.done ?? false,
      said.doneReason,
      said.result,
      said.cleaned,
    ],
    { repeatable: true },
  )
  const { accepted, ...answer } = fromRow<Reported & { accepted: boolean }>(row ?? {})
  if (!accepted) throw new LeaseLost({ job: report.jobId, attempt: report.attempt })
  return answer
}

function checkTokens(tokens: number): number {
  if (Number.isSafeInteger(tokens) && tokens >= 0) return tokens
  throw holdfastError('invalid_input', { path: '/tokens', problem: 'must be a whole number from 0' })
}
