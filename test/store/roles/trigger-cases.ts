// The verbs of triggers from outside, pointed at what belongs to another tenant.
import type { Case } from './verb-cases.js'

const denied = (call: string): Case => ({ call: `select ${call} as answer`, hears: 'tenant_denied' })

export const TRIGGER_CASES: Record<string, Case> = {
  take_outbox: denied(`holdfast.take_outbox('bolt', 'sqs')`),
  note_sent: {
    call: `select holdfast.note_sent(array(select id from generate_series(1, 50) id), array_fill(null::bigint, array[50])) as answer`,
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
  tell_again: {
    call: 'select cardinality(holdfast.tell_again(array[$1::bigint])) as answer',
    values: ({ jobs }) => [jobs.queued],
    hears: 0,
  },
  tell_untold: denied(`holdfast.tell_untold('bolt', 'sqs')`),
  outbox_depth: {
    call: `select unsent + sent as answer from holdfast.outbox_depth('bolt', 'sqs')`,
    hears: 0,
  },
  outbox_gauges: {
    call: 'select coalesce(sum(unsent + sent), 0) as answer from holdfast.outbox_gauges()',
    hears: 0,
  },
  turn_to_reconcile: denied(`holdfast.turn_to_reconcile('bolt', 'sqs', 1000)`),
  unannounced: {
    call: 'select cardinality(holdfast.unannounced(array[$1::bigint])) as answer',
    values: ({ jobs }) => [jobs.untold],
    hears: 0,
  },
  told_queues: {
    call: `select cardinality(holdfast.told_queues('bolt', 'sqs', '{work}')) as answer`,
    hears: 0,
  },
}
