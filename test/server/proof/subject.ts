/** What the requests of a proof are about, made over HTTP as anybody would. */
import type { Subject } from '../samples.js'

export async function subjectOn(url: string, key: string): Promise<Subject> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { id: number }
  }
  const { id: jobId } = await post('/api/v1/jobs', { queue: 'mail', kind: 'welcome', target: 'same' })
  const { id: keyId } = await post('/api/v1/keys', { name: 'somebody', scopes: ['read'] })
  await post('/api/v1/queues', { name: 'crawls', preset: 'crawl' })
  const planned = { name: 'nightly', cron_expression: '@daily' }
  const { id: scheduleId } = await post('/api/admin/scheduled-jobs', planned)
  const { id: subjectId } = await post('/api/v1/subjects', { queue: 'crawls', name: 'r/rust', kind: 'crawl' })
  const { id: bulkId } = await post('/api/v1/bulk', { command: 'boost', q: 'queue:mail' })
  const { id: viewId } = await post('/api/v1/views', { name: 'mail', q: 'queue:mail' })
  // There is no alert on a healthy server, and a webhook would call somebody; both are asked for in vain.
  const rest = { alertId: 1, webhookId: 1, schedule: planned.name, scheduleId, subjectId, bulkId, viewId }
  return { jobId, queue: 'mail', worker: 'w', keyId, ...rest }
}
