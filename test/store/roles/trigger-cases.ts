// The verbs of triggers from outside, pointed at what belongs to another tenant.
import type { Case } from './verb-cases.js'

const denied = (call: string): Case => ({ call: `select ${call} as answer`, hears: 'tenant_denied' })

export const TRIGGER_CASES: Record<string, Case> = {
  take_outbox: denied(`holdfast.take_outbox('bolt', 'sqs')`),
  outbox_settle: {
    call: `select holdfast.outbox_settle(array(select id from generate_series(1, 50) id), array_fill(null::bigint, array[50])) as answer`,
    hears: 0,
  },
  states_of: {
    call: 'select count(*) as answer from holdfast.states_of(array[$1::bigint])',
    values: ({ jobs }) => [jobs.queued],
    hears: 0,
  },
  retries_of: {
    call: 'select count(*) as answer from holdfast.retries_of(array[$1::bigint])',
    values: ({ jobs }) => [jobs.failed],
    hears: 0,
  },
  outbox_requeue: {
    call: 'select cardinality(holdfast.outbox_requeue(array[$1::bigint])) as answer',
    values: ({ jobs }) => [jobs.queued],
    hears: 0,
  },
  outbox_backfill: denied(`holdfast.outbox_backfill('bolt', 'sqs')`),
  outbox_counts: {
    call: `select coalesce(sum(unsent + sent), 0) as answer from holdfast.outbox_counts('bolt', 'sqs')`,
    hears: 0,
  },
  claim_reconcile_turn: denied(`holdfast.claim_reconcile_turn('bolt', 'sqs', 1000)`),
  failed_without_dead_letter: {
    call: 'select cardinality(holdfast.failed_without_dead_letter(array[$1::bigint])) as answer',
    values: ({ jobs }) => [jobs.untold],
    hears: 0,
  },
  triggered_queues: {
    call: `select cardinality(holdfast.triggered_queues('bolt', 'sqs', '{work}')) as answer`,
    hears: 0,
  },
}
