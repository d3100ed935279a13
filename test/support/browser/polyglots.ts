/**
 * Text that would run where a page takes it for markup, an address or a template, in every field that takes free text. The page's watch
 * (page.ts) notices it in three ways: the script calls `alarm`, the policy reports it, or the browser asks for the image.
 */
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect } from 'vitest'

export const polyglot = (field: string) =>
  `'"><img src=x onerror=alarm('${field}')></textarea></script><script>alarm('${field}')</script><svg onload=alarm('${field}')>javascript:alarm('${field}')`

/** A piece of it, as a person reads it on the page. */
export const PIECE = '<img src=x onerror='

export interface Hostile {
  readonly job: number
  readonly failed: number
}

/** Adds jobs, a schedule, a worker's drain, a pause, an alert's silence, webhooks and audit rows full of it. */
export async function addPolyglots(store: Store): Promise<Hostile> {
  await refuseNames(store)
  const act = { actor: polyglot('actor'), reason: polyglot('reason') }
  const made = {
    ...{ queue: 'crm', kind: 'hostile', key: polyglot('key'), target: polyglot('target') },
    ...{ createdBy: polyglot('creator'), labels: { hostile: polyglot('label') } },
    input: { [polyglot('name')]: polyglot('value'), list: [polyglot('item')] },
  }
  const { jobId: failed } = await store.enqueue({ ...made, maxRetries: 0 })
  await end(store, failed)
  const { jobId: job } = await store.enqueue(made)
  await store.commands.setPriority(job, 90, act)
  await store.queues.pause('crm', act)
  await store.schedules.create({
    ...{ name: 'hostile', expression: '0 3 * * *', queue: 'crm', kind: 'hostile' },
    ...{
      description: polyglot('description'),
      input: { text: polyglot('input') },
      key: polyglot('schedule-key'),
    },
  })
  await store.schedules.pause('hostile', act)
  await store.workers.drain('billing-1', act)
  const [alert] = await store.alerts.list()
  if (alert !== undefined) await store.alerts.silence(alert.id, { ...act, forMs: 60_000 })
  await store.webhooks.add({
    ...{ name: 'hostile', secret: 'a secret of thirty-two characters', ...act },
    url: `https://hooks.example/?${polyglot('url')}`,
  })
  await store.settings.set('ALERT_DEPTH_JOBS', 400, act)
  await store.tenants.setLimits('acme', { maxRunning: 40 }, act)
  await store.audit.record([
    {
      ...{
        agoMs: 0,
        tenant: 'default',
        keyId: null,
        operation: 'cancelJob',
        method: 'POST',
        status: 200,
        code: null,
      },
      ...{
        actor: act.actor,
        reason: act.reason,
        requestId: 'r',
        address: '10.0.0.7',
        path: polyglot('path'),
      },
    },
  ])
  // A kind has a page once its jobs are counted.
  await store.upkeep.countMinutes(10_000)
  return { job, failed }
}

/**
 * An answer of the server with such text in every field that holds text, also where the server would refuse it: names, kinds, workers. Left
 * are times, and words that a page chooses by.
 */
export function poisoned(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return isChosenBy(field) || isTime(value) ? value : polyglot(field)
  if (Array.isArray(value)) return value.map((each) => poisoned(each, field))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poisoned(each, name)]))
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text)
const CHOSEN_BY =
  /^(state|states|status|outcome|moved_to|type|code|severity|scopes?|rule|command|trigger|preset|policy|time_zone|.*_token|fields|what)$/
const isChosenBy = (field: string) => CHOSEN_BY.test(field)

async function end(store: Store, jobId: number): Promise<void> {
  const job = (await store.work.claimById(jobId, { worker: 'hostile-1', leaseMs: 60_000 })) as ClaimedJob
  await store.work.report({
    ...job,
    seq: 1,
    progress: polyglot('progress'),
    items: [{ text: polyglot('item') }],
  })
  const error = Object.assign(new Error(polyglot('error')), {
    name: polyglot('error-name'),
    code: polyglot('code'),
  })
  await store.work.finish([
    { ...job, outcome: 'failed', error, reason: polyglot('why'), log: polyglot('log') },
  ])
}

/** Names take no such text at all. */
async function refuseNames(store: Store): Promise<void> {
  const name = polyglot('name').slice(0, 90)
  for (const refused of [
    () => store.enqueue({ queue: 'crm', kind: name }),
    () => store.enqueue({ queue: name, kind: 'hostile' }),
    () => store.work.openLease(name, 60_000),
    () => store.schedules.create({ name, kind: 'hostile', expression: '0 3 * * *' }),
    () =>
      store.webhooks.add({
        name,
        url: 'https://hooks.example/',
        secret: 'a secret of thirty-two characters',
      }),
    () => store.keys.create({ name, scopes: ['read'] }),
    () => store.tenants.setLimits(name, {}),
  ])
    await expect(refused(), refused.toString()).rejects.toMatchObject({ code: 'invalid_input' })
}
