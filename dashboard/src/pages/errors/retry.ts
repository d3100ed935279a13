/** Retries every failed job of an error group: a count before, a bulk operation, its result after. */
import { call } from '../../api/call.js'
import { asFailure } from '../../api/problem.js'
import { go } from '../../state/url.js'
import { confirm } from '../../ui/confirm.jsx'
import { count, formatCapped } from '../../ui/format.js'
import { toast } from '../../ui/toast.jsx'

export async function retryGroup(fingerprint: string): Promise<void> {
  try {
    await retry(fingerprint)
  } catch (error) {
    const { message, remedy } = asFailure(error)
    toast(message, { tone: 'bad', detail: remedy })
  }
}

async function retry(fingerprint: string): Promise<void> {
  const { search } = await call('GET /api/v1/errors/{fingerprint}', { params: { fingerprint } })
  const asked = { command: 'retry', q: search } as const
  const preview = await call('POST /api/v1/bulk/preview', { body: asked })
  const { matched, matched_capped: capped, applicable, until } = preview
  if (matched === 0) {
    toast('No failed job has this error', { detail: 'Its attempts were retried or ended otherwise.' })
    return
  }
  const found = formatCapped(matched, capped ? matched : undefined)
  const yes = await confirm({
    title: `Retry ${found} ${matched === 1 ? 'job' : 'jobs'}?`,
    body: `Every failed job with this error starts again${
      applicable < matched && !capped ? `; ${count(matched - applicable, 'job')} cannot be retried` : ''
    }. Search: ${search}`,
    action: `Retry ${found} ${matched === 1 ? 'job' : 'jobs'}`,
  })
  if (yes === null) return
  const { id } = await call('POST /api/v1/bulk', {
    body: { ...asked, until, expected: { matched, capped }, ...yes.body },
  })
  toast(`Retry of ${found} ${matched === 1 ? 'job' : 'jobs'} started`, {
    action: {
      label: 'See the jobs',
      run: () => go({ page: 'jobs', q: search.replace(/\bstate:\S+\s*/, '') }),
    },
  })
  void report(id)
}

const LOOK_MS = 1_000
/** A longer operation is followed on the page of jobs. */
const LOOKS = 120

async function report(id: number): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const operation = await call('GET /api/v1/bulk/{id}', { params: { id } })
    if (operation.ended_at === null) continue
    toast(`${count(operation.done, 'job')} retried`, {
      tone: operation.failed > 0 ? 'bad' : 'plain',
      detail: operation.failed > 0 ? `${count(operation.failed, 'job')} refused it.` : '',
    })
    return
  }
}
