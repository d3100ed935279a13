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
  // There is no alert on a healthy server, and a webhook would call somebody; both are asked for in vain.
  return { jobId, queue: 'mail', worker: 'w', keyId, alertId: 1, webhookId: 1 }
}
