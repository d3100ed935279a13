// Every verb, pointed at what belongs to another tenant, and what must be heard.
import { HoldfastError } from 'holdfast'
import type { Login } from '../../support/roles/sealed.js'
import type { TwoTenants } from '../../support/roles/two-tenants.js'
import { ALERT_CASES } from './alert-cases.js'
import { BULK_CASES } from './bulk-cases.js'
import { SCHEDULE_CASES } from './schedule-cases.js'
import { TRIGGER_CASES } from './trigger-cases.js'

/** How each verb is pointed at what belongs to bolt, and what acme must hear. */
export interface Case {
  readonly call: string
  readonly values?: (world: TwoTenants) => unknown[]
  readonly hears: unknown
  /** Where it differs when the tenant chosen is none of acme's. */
  readonly blind?: unknown
}

const onJob = (call: string, state: keyof TwoTenants['jobs'], hears: unknown = 'unknown_job'): Case => ({
  call: `select ${call} as answer`,
  values: ({ jobs }) => [jobs[state]],
  hears,
})
const onQueue = (call: string): Case => ({
  call: `select ${call} as answer`,
  values: ({ queue }) => [queue],
  hears: 'unknown_queue',
})
const onSubject = (call: string): Case => ({
  call: `select ${call} as answer`,
  values: ({ subject }) => [subject],
  hears: 'unknown_subject',
})
const fence = ({ running: { jobId, attempt, lease } }: TwoTenants) => [jobId, attempt, lease]
const denied = (call: string): Case => ({ call: `select ${call} as answer`, hears: 'tenant_denied' })
const chore = (call: string, hears: unknown = 0): Case => ({
  call: `select ${call} as answer`,
  hears,
  blind: 'tenant_denied',
})

export const CASES: Record<string, Case> = {
  enqueue: denied(`holdfast.enqueue('work', 'k', '{}', '{}', 'bolt')`),
  enqueue_many: denied(`holdfast.enqueue_many('[{"queue": "work", "kind": "k"}]', 'bolt', 'once')`),
  declare_kinds: denied(`holdfast.declare_kinds('[{"kind": "k", "queue": "work"}]', 'bolt')`),
  create_queue: denied(`holdfast.create_queue('work', p_tenant => 'bolt', p_if_missing => true)`),
  publish: onJob('holdfast.publish($1)', 'pending'),
  cancel: onJob('holdfast.cancel($1)', 'queued'),
  retry: onJob('holdfast.retry($1)', 'failed'),
  resume: onJob('holdfast.resume($1)', 'errored'),
  skip: onJob('holdfast.skip($1)', 'paused'),
  discard: onJob('holdfast.discard($1)', 'retrying'),
  boost: onJob('holdfast.boost($1, 5)', 'queued'),
  set_priority: onJob('holdfast.set_priority($1, 5)', 'queued'),
  force_finish: {
    call: "select holdfast.force_finish($1, 'failed') as answer",
    values: ({ running }) => [running.jobId],
    hears: 'unknown_job',
  },
  explain: onJob('holdfast.explain($1)', 'queued'),
  related_jobs: onJob('(holdfast.related_jobs($1)).ids', 'queued', null),
  queue_of: onJob('holdfast.queue_of($1)', 'queued', null),
  job_history: onJob('holdfast.job_history($1)', 'queued', null),
  pause_queue: onQueue('holdfast.pause_queue($1)'),
  resume_queue: onQueue('holdfast.resume_queue($1)'),
  set_policy: onQueue(`holdfast.set_policy($1, '{"max_retries": 9}')`),
  change_queue: onQueue(`holdfast.change_queue($1, 'harvest')`),
  rename_queue: onQueue(`holdfast.rename_queue($1, 'other')`),
  remove_queue: onQueue('holdfast.remove_queue($1)'),
  queue_ids: {
    call: `select count(*) as answer from holdfast.queue_ids('bolt', '{work}')`,
    hears: 0,
  },
  claim: {
    call: 'select count(*) as answer from holdfast.claim($2, null, array[$1::int], 10)',
    values: ({ queue }) => [queue, 'w'],
    hears: 0,
  },
  claim_batch: {
    call: 'select count(*) as answer from holdfast.claim_batch($2, null, array[$1::int], 10)',
    values: ({ queue }) => [queue, 'w'],
    hears: 0,
  },
  claim_by_id: {
    call: 'select count(*) as answer from holdfast.claim_by_id($2, null, $1)',
    values: ({ jobs }) => [jobs.queued, 'w'],
    hears: 0,
  },
  start: {
    call: 'select count(*) as answer from holdfast.start(array[$1::bigint], array[$2::int], array[$3::bigint])',
    values: fence,
    hears: 0,
  },
  report: {
    call: `select jsonb_build_object('accepted', accepted, 'tokens', tokens_used) as answer
      from holdfast.report($1, $2, $3, '[{"b": 2}]')`,
    values: fence,
    hears: { accepted: false, tokens: null },
  },
  log_lines: {
    call: `select holdfast.log_lines(array[$1::bigint], array[$2::int], array[$3::bigint], '{line}') as answer`,
    values: fence,
    hears: 0,
  },
  finish: {
    call: `select jsonb_build_object('accepted', accepted, 'state', state) as answer
      from holdfast.finish(array[$1::bigint], array[$2::int], array[$3::bigint], array['succeeded'])`,
    values: fence,
    hears: { accepted: false, state: null },
  },
  locked_claims: {
    call: `select array_agg(job_id) as answer
      from holdfast.locked_claims(array[$1::bigint], array[$2::int], array[$3::bigint])`,
    values: fence,
    hears: null,
  },
  finish_succeeded: {
    call: `select jsonb_agg(job_id = $1) as answer
      from holdfast.finish_succeeded(array[$1::bigint], array[$2::int], array[$3::bigint])`,
    values: fence,
    hears: [true],
  },
  renew: {
    call: 'select alive as answer from holdfast.renew(array[$1::bigint])',
    values: ({ running }) => [running.lease],
    hears: false,
  },
  close_lease: {
    call: 'select holdfast.close_lease($1) as answer',
    values: ({ running }) => [running.lease],
    hears: 0,
  },
  complete: {
    call: 'select holdfast.complete($1, $2, $3) as answer',
    values: fence,
    hears: 'lease_lost',
  },
  release_unlisted: {
    call: `select holdfast.release_unlisted($1, '{}', '{}', '0 s') as answer`,
    values: ({ running }) => [running.lease],
    hears: 0,
  },
  unpark: {
    call: `select holdfast.unpark(array[$1::int], '{k}') as answer`,
    values: ({ queue }) => [queue],
    hears: 0,
  },
  queues_with_work: {
    call: 'select holdfast.queues_with_work(array[$1::int]) as answer',
    values: ({ queue }) => [queue],
    hears: [],
  },
  depth: {
    call: 'select holdfast.depth(array[$1::int]) as answer',
    values: ({ queue }) => [queue],
    hears: 0,
  },
  has_work: {
    call: `select holdfast.has_work(array[$1::int], 'bolt-worker', $2) as answer`,
    values: ({ queue, running }) => [queue, running.lease],
    hears: false,
  },
  depth_by_kind: {
    call: 'select count(*) as answer from holdfast.depth_by_kind(array[$1::int])',
    values: ({ queue }) => [queue],
    hears: 0,
  },
  lost_attempts: {
    call: `select count(*) as answer from holdfast.lost_attempts()`,
    hears: 0,
  },
  queue_gauges: {
    // Of its own one, and nothing of bolt's.
    call: 'select count(*) as answer from holdfast.queue_gauges()',
    hears: 1,
    blind: 0,
  },
  worker_heartbeat: denied(
    `holdfast.worker_heartbeat('bolt-worker', 'h', 1, '1', '{}', '{}', 'bolt', 1, 0, 0, false)`,
  ),
  remove_worker: { call: `select holdfast.remove_worker('bolt-worker') as answer`, hears: false },
  drain_worker: { call: `select holdfast.drain_worker('bolt-worker') as answer`, hears: 'unknown_worker' },
  find_jobs: {
    call: `select jsonb_array_length(jobs) as answer from holdfast.find_jobs('bolt')`,
    hears: 0,
  },
  search_ids: {
    call: `select cardinality(ids) as answer from holdfast.search_ids('bolt', '{}')`,
    hears: 0,
  },
  read_keyword: {
    call: `select cardinality(holdfast.read_keyword('bolt', 'work')) as answer`,
    hears: 0,
  },
  found_jobs: {
    call: `select count(*) as answer from holdfast.found_jobs(array[$1::bigint])`,
    values: ({ running }) => [running.jobId],
    hears: 0,
  },
  facets_of: {
    call: `select count(*) as answer from holdfast.facets_of(array[$1::bigint])`,
    values: ({ running }) => [running.jobId],
    hears: 0,
  },
  live_kinds: { call: `select count(*) as answer from holdfast.live_kinds('bolt')`, hears: 0 },
  find_targets: { call: `select count(*) as answer from holdfast.find_targets('bolt')`, hears: 0 },
  queue_counts: {
    call: `select count(*) as answer from holdfast.queue_counts('{bolt}')`,
    hears: 0,
  },
  worker_jobs: {
    call: `select count(*) as answer from holdfast.worker_jobs('bolt', 'bolt-worker')`,
    hears: 0,
  },
  state_counts: {
    call: `select (holdfast.state_counts('bolt')).counts ->> 'queued' as answer`,
    hears: '0',
  },
  record_scale: denied(`holdfast.record_scale('bolt', 'g', 'bolt-worker', 1, 2, 'depth')`),
  work_terms: {
    call: `select count(*) as answer from holdfast.work_terms('bolt', '{work}')`,
    hears: 0,
  },
  // Says nothing to anybody; that it wakes nobody of another tenant is proven with the wake-ups.
  wake: {
    call: 'select holdfast.wake(array[$1::int])::text as answer',
    values: ({ queue }) => [queue],
    hears: '',
  },
  open_lease: {
    call: `select count(*) as answer from holdfast.open_lease('w', 1000)`,
    hears: 1,
    blind: 'tenant_denied',
  },
  leases_for: {
    call: `select holdfast.leases_for('bolt', array[$1::bigint]) as answer`,
    values: ({ running }) => [running.lease],
    hears: 'tenant_denied',
  },
  ...TRIGGER_CASES,
  feed: {
    call: `select count(*) as answer from holdfast.feed('all') f, jsonb_array_elements(f.events) e where e ->> 'tenant' <> 'acme'`,
    hears: 0,
  },
  promote: chore('holdfast.promote()'),
  reclaim: chore('holdfast.reclaim(1000, false)'),
  settle_targets: chore('holdfast.settle_targets()'),
  make_partitions: chore('holdfast.make_partitions() >= 0', true),
  queue_metrics: {
    call: `select count(*) as answer from holdfast.queue_metrics('bolt')`,
    hears: 'tenant_denied',
  },
  flow: { call: `select count(*) as answer from holdfast.flow('bolt')`, hears: 'tenant_denied' },
  problems: { call: `select count(*) as answer from holdfast.problems('bolt')`, hears: 'tenant_denied' },
  queue_state: onQueue('(select count(*) from holdfast.queue_state($1))'),
  // A time that is the same for every tenant.
  counted_to: { call: 'select holdfast.counted_to() is not null as answer', hears: true },
  add_subject: onQueue(`holdfast.add_subject($1, 'r/rust', 'crawl')`),
  set_subject: onSubject(`holdfast.set_subject($1, '{"enabled": false}')`),
  remove_subject: onSubject('holdfast.remove_subject($1)'),
  count_minutes: denied('holdfast.count_minutes()'),
  enqueue_stale_subjects: denied('holdfast.enqueue_stale_subjects()'),
  reset_after: denied(`holdfast.reset_after('5 minutes')`),
  record_chores: denied(`holdfast.record_chores('node', '[]')`),
  expire_keys: denied('holdfast.expire_keys()'),
  age: denied('holdfast.age()'),
  prune: denied('holdfast.prune()'),
  prune_records: denied(`holdfast.prune_records('0 s', '0 s')`),
  set_tenant_limits: denied(`holdfast.set_tenant_limits('bolt', '{"max_running": 1}')`),
  ...SCHEDULE_CASES,
  set_setting: denied(`holdfast.set_setting('AGE_STEP', '5')`),
  grant_tenant: denied(`holdfast.grant_tenant(session_user::name, 'bolt')`),
  revoke_tenant: denied(`holdfast.revoke_tenant(session_user::name, 'acme')`),
  create_key: denied(
    `holdfast.create_key('bolt', 'other', decode(repeat('ab', 32), 'hex'), 'hf_ab', '{read}')`,
  ),
  rotate_key: {
    call: `select holdfast.rotate_key($1, decode(repeat('ab', 32), 'hex'), 'hf_ab') as answer`,
    values: ({ key }) => [key],
    hears: 'unknown_key',
  },
  revoke_key: {
    call: 'select holdfast.revoke_key($1) as answer',
    values: ({ key }) => [key],
    hears: 'unknown_key',
  },
  authenticate: {
    call: `select count(*) as answer from holdfast.authenticate(decode(repeat('cd', 32), 'hex'))`,
    hears: 0,
  },
  open_web_session: {
    call: `select holdfast.open_web_session(decode(repeat('ba', 32), 'hex'), $1, null, '1 hour', '1 day', 1) as answer`,
    values: ({ key }) => [key],
    hears: 'unknown_key',
  },
  use_web_session: {
    call: `select count(*) as answer from holdfast.use_web_session(decode(repeat('ce', 32), 'hex'))`,
    hears: 0,
  },
  close_web_session: {
    call: `select holdfast.close_web_session(decode(repeat('ce', 32), 'hex')) as answer`,
    hears: false,
  },
  // When the first key was made, and nothing of it.
  keys_required_since: { call: 'select holdfast.keys_required_since() is null as answer', hears: false },
  record_calls: {
    call: `select holdfast.record_calls('[{"tenant": "bolt", "actor": "x", "operation": "o", "method": "POST", "path": "/", "status": 200,
      "request_id": "r"}]') as answer`,
    hears: 'forbidden',
    blind: 'tenant_denied',
  },
  ...ALERT_CASES,
  ...BULK_CASES,
  key_state: { call: `select holdfast.key_state(null, 'infinity') as answer`, hears: 'live' },
  visible_tenants: { call: 'select holdfast.visible_tenants() as answer', hears: ['acme'], blind: [] },
  visible_queues: { call: 'select cardinality(holdfast.visible_queues()) as answer', hears: 1, blind: 0 },
  is_ahead: { call: `select holdfast.is_ahead('infinity') as answer`, hears: true },
  is_worker_alive: { call: `select holdfast.is_worker_alive('infinity') as answer`, hears: true },
  now: { call: `select holdfast.now() > '2000-01-01' as answer`, hears: true },
  all_levels: { call: 'select cardinality(holdfast.all_levels()) as answer', hears: 101 },
  state_word: { call: `select holdfast.state_word('target', 'paused', true) as answer`, hears: 'PAUSED' },
  setting_number: { call: `select holdfast.setting_number('MAX_ATTEMPTS_DEFAULT') as answer`, hears: 5 },
}

class RolledBack extends Error {}

/** The answer or the code of the refusal; nothing of it stays. */
export async function hear(
  user: Login,
  { call, values }: Case,
  world: TwoTenants,
  { chosen, before }: { chosen?: string | undefined; before?: string } = {},
): Promise<unknown> {
  let heard: unknown
  try {
    await user.database.transaction(async (session) => {
      if (chosen !== undefined)
        await session.query("select set_config('holdfast_tenant.name', $1, true)", [chosen])
      if (before !== undefined) await session.script(before)
      const rows = await session.query<{ answer: unknown }>(call, values?.(world))
      heard = rows[0]?.answer
      throw new RolledBack()
    })
  } catch (error) {
    if (error instanceof HoldfastError) return error.code
    if (!(error instanceof RolledBack)) throw error
  }
  return heard
}
