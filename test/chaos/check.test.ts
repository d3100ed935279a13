// Each promise broken by hand, in a database where everything else is as it should be: the checks must say which one it was.
import { openStore } from 'holdfast/store'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { CHECKS } from './check/all.js'
import { times } from './check/history.js'
import type { Line } from './journal.js'
import { MUTANTS, mutatedSql } from './mutants.js'
import { check, page, undone, unseen, verdict, violationsOf } from './report.js'
import { SmallWorld } from './small-world.js'

let world: SmallWorld
let drop: () => Promise<void>

beforeAll(async () => {
  const name = `chaos_${process.pid}`
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  const store = await openStore({ url: url.href, migrate: true, connections: 3 })
  drop = async () => {
    await world?.close()
    await store.close()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
  world = await SmallWorld.live(url.href, store)
})
afterAll(() => drop())

const job = (token: string) => `(select id from holdfast.job where input ->> 'token' = '${token}')`
const moveOf = (token: string, op: string, place: string) =>
  `job = ${job(token)} and op = '${op}' and place = '${place}'`
const seqOf = (token: string, op: string, place: string) =>
  `(select min(seq) from chaos.move where ${moveOf(token, op, place)})`

/** Room between the numbers; then the first row of one job moves to just beside a row of another. */
const moveBeside = (token: string, place: string, other: string, by: number) => `
  alter table chaos.move drop constraint move_pkey;
  update chaos.move set seq = seq * 10;
  update chaos.move set seq = ${seqOf(other, '+', place)} + ${by} where seq = ${seqOf(token, '+', place)};`

const PLANTED: [rule: string, how: string, sql: string][] = [
  [
    'a job was made twice',
    'two jobs have one token',
    `update holdfast.job set input = input || '{"token": "one"}' where id = ${job('two')}`,
  ],
  [
    'a job from nowhere',
    'nobody asked for it',
    `select holdfast.enqueue('plain', 'plain', '{"token": "nobody"}')`,
  ],
  [
    'a transaction was kept by half',
    'the ledger has what became no job',
    `insert into chaos.ledger values ('nothing')`,
  ],
  [
    'a transaction was kept by half',
    'a parent has no child',
    `delete from holdfast.job where id = ${job('parent/child')}`,
  ],
  ['a job is nowhere', 'its last row is gone', `delete from holdfast.attempt where job_id = ${job('one')}`],
  [
    'not ended after the drain',
    'one was left behind',
    `select holdfast.enqueue('plain', 'plain', '{"token": "one"}')`,
  ],
  [
    'the chain is broken',
    'an ended job is ready again',
    `insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
     values (${job('one')}, 1, 1, 0, 0, 0, 0, false, 100)`,
  ],
  [
    'an illegal move',
    'a new job is errored',
    `update chaos.move set state = 'errored' where job = ${job('one')} and place = 'ready'`,
  ],
  [
    'a pair came twice',
    'an attempt number is used again',
    `update chaos.move set attempt = 1 where ${moveOf('lost', '+', 'running')} and attempt = 2`,
  ],
  [
    'a claim without its one end',
    'an end was not written',
    `delete from chaos.move where ${moveOf('lost', '+', 'attempt')} and attempt = 1`,
  ],
  [
    'a stale pair wrote',
    'a result is of an earlier attempt',
    `update holdfast.attempt set result = '{"attempt": 1, "lease": 1}' where job_id = ${job('lost')} and attempt = 2`,
  ],
  [
    'a stale pair wrote',
    'an item comes after the end of its attempt',
    `insert into holdfast.item (job_id, created_at, queue_id, attempt, collection, key, data)
     values (${job('report')}, now(), 1, 1, 'late', 'late', '{}')`,
  ],
  [
    'a stale pair wrote',
    'an effect is of an earlier attempt',
    `update chaos.effect set attempt = attempt - 1 where job = ${job('flaky')}`,
  ],
  [
    'a lease was taken back before it ran out',
    'it had a second left',
    `update chaos.move set expires = at + interval '1 second' where outcome = 'lost'`,
  ],
  [
    'a lease was taken back before it ran out',
    'a sweep took one job of a lease too early, and its worker gave the lease up for the other',
    `update chaos.move set given_up = false where job = ${job('given up 1')} and outcome = 'lost'`,
  ],
  [
    'before it was due',
    'a retry came a second early',
    `update chaos.move set due = at + interval '1 second' where ${moveOf('flaky', '-', 'delayed')}`,
  ],
  [
    'two at once on a target',
    'the second began before the first had ended',
    moveBeside('lane 2', 'running', 'lane 1', 1),
  ],
  ['out of order', 'the second began before the first', moveBeside('lane 2', 'running', 'lane 1', -1)],
  [
    'two live jobs of a key',
    'the second came while the first lived',
    moveBeside('key 2', 'ready', 'key 1', 1),
  ],
  [
    'more run than may',
    'two at once, and one is allowed',
    `update holdfast.queue set max_running = 1 where name = 'few'`,
  ],
  [
    'too many failures',
    'two, and one is allowed',
    `update holdfast.job set max_retries = 0 where id = ${job('flaky')}`,
  ],
  ['too many losses in a row', 'three, and two are allowed', 'update holdfast.queue set crash_budget = 2'],
  [
    'a poison job was not stopped',
    'it ended in another way',
    `update holdfast.attempt set reason = 'exhausted' where job_id = ${job('poison')} and final`,
  ],
  ['effects differ', 'there is none', `delete from chaos.effect where job = ${job('one')}`],
  [
    'effects differ',
    'there are two',
    `insert into chaos.effect (job, attempt, lease, kind, by) select job, attempt, lease, kind, by from chaos.effect
     where job = ${job('one')}`,
  ],
  [
    'effects differ',
    'there is none of a job that wrote it before its end',
    `delete from chaos.effect where job = ${job('two')}`,
  ],
  [
    'counters differ',
    'an item is gone',
    `delete from holdfast.item where job_id = ${job('report')} and data ->> 'n' = '0'`,
  ],
  [
    'result_count differs from the items kept',
    'an item is gone',
    `delete from holdfast.item where job_id = ${job('report')} and data ->> 'n' = '0'`,
  ],
]

describe('the checks', () => {
  it('find nothing where nothing is wrong', async () => {
    const findings = check(await world.after('select 1'))
    expect(violationsOf({ findings })).toEqual([])
  })

  it.each(PLANTED)('find: %s (%s)', async (rule, _how, sql) => {
    const findings = check(await world.after(sql))
    expect(violationsOf({ findings }).map((found) => found.rule)).toContain(rule)
  })

  const EARLY = 'a lease was taken back before it ran out'

  it('do not take a lease that its worker gave up for one that was taken back too early', async () => {
    const evidence = await world.after('select 1')
    const lost = ['given up 1', 'given up 2'].flatMap((token) =>
      (evidence.moves.get(world.jobs[token] as number) ?? []).filter(({ outcome }) => outcome === 'lost'),
    )
    expect(lost.map(({ givenUp, expires, at }) => [givenUp, (expires ?? at) > at])).toEqual([
      [true, true],
      [true, true],
    ])
    expect(times(evidence)).toEqual([])
  })

  it('find every sweep that came too early, and only those, beside a lease that was given up', async () => {
    const swept = await world.after(
      "update chaos.move set expires = at + interval '1 second' where outcome = 'lost' and not given_up",
    )
    const found = times(swept)
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set([EARLY]))
    expect(new Set(found.map((one) => one.job))).toEqual(new Set([world.jobs.lost, world.jobs.poison]))

    // Under the very lease that was given up: by a log of its worker alone the two could not be told apart.
    const same = await world.after(
      `update chaos.move set given_up = false where job = ${job('given up 1')} and outcome = 'lost'`,
    )
    expect(times(same)).toMatchObject([{ rule: EARLY, job: world.jobs['given up 1'] }])
  })

  it('know a lease that was given up also by the loss that used the crash budget up', async () => {
    const evidence = await world.after(`
      select holdfast.enqueue('plain', 'plain', '{"token": "one"}');
      update holdfast.queue set crash_budget = 1 where name = 'plain';
      select holdfast.claim('w', (select max(id) from holdfast.lease), (select array[id] from holdfast.queue where name = 'plain'));
      update holdfast.lease set lease_ms = 1;
      select holdfast.close_lease((select lease from holdfast.running), 'lease given up')`)
    const [end] = [...evidence.ends.values()].filter(({ reason }) => reason === 'crashed').slice(-1)
    expect(end).toMatchObject({ outcome: 'lost', movedTo: 'failed' })
    expect(times(evidence)).toEqual([])
  })

  const SAID: [rule: string, how: string, line: () => Line, who: 'producers' | 'workers'][] = [
    [
      'an acknowledged job is missing',
      'it was never made',
      () => ({ t: 'ack', token: 'never', job: 4_711, existing: false }),
      'producers',
    ],
    [
      'an acknowledged job is missing',
      'another has its number',
      () => ({ t: 'ack', token: 'one', job: world.jobs.two as number, existing: false }),
      'producers',
    ],
    ['a job that was rolled back', 'it is there', () => ({ t: 'rolled back', token: 'one' }), 'producers'],
    [
      'a canceled job went on',
      'it has succeeded',
      () => ({ t: 'cancel', job: world.jobs.one as number, result: 'canceled' }),
      'producers',
    ],
    [
      'an accepted ending is missing',
      'the attempt was lost',
      () => ({
        t: 'ended',
        job: world.jobs.lost as number,
        attempt: 1,
        outcome: 'succeeded',
        accepted: true,
      }),
      'workers',
    ],
  ]

  it.each(SAID)('find, by what was said outside: %s (%s)', async (rule, _how, line, who) => {
    const said = who === 'producers' ? world.producer : world.worker
    const findings = check(await world.after('select 1', { [who]: [[...said, line()]] }))
    expect(violationsOf({ findings }).map((found) => found.rule)).toEqual([rule])
  })

  it('find a process that did not stay up', async () => {
    const findings = check(await world.after('select 1', { died: ['worker 3 ended by itself: code 1'] }))
    expect(violationsOf({ findings })).toEqual([
      { rule: 'a process did not stay up', detail: 'worker 3 ended by itself: code 1' },
    ])
  })
})

describe('a run', () => {
  const run = {
    seed: 1,
    seconds: 1,
    workers: 1,
    mutant: null,
    command: '',
    began: new Date(),
    leftToDrain: 0,
    drainedInMs: 0,
  }

  it('that saw nothing proves nothing', () => {
    const result = { ...run, deeds: [], counts: {}, undone: [], heldUp: [], findings: [], folder: null }
    expect(verdict({ ...result, seen: { claims: 3, reconnects: 1 } })).toBe('held')
    expect(verdict({ ...result, seen: { claims: 3, reconnects: 0 } })).toBe('vacuous')
    expect(unseen({ seen: { claims: 3, reconnects: 0 }, undone: [] })).toEqual(['reconnects'])
  })

  it('in which a sort of fault could never be done proves nothing', () => {
    const timeline = [{ fault: 'restart', how: 'fast' }, { fault: 'poison' }] as const
    const failed = 'the database system is shutting down'
    const deeds = [
      { atMs: 1, fault: timeline[0] },
      { atMs: 2, fault: timeline[1], failed },
    ]
    expect(undone(timeline, deeds)).toEqual(['poison'])
    expect(undone(timeline, [...deeds, { atMs: 3, fault: timeline[1] }])).toEqual([])
    const result = { ...run, deeds, counts: {}, heldUp: [], findings: [], folder: null, seen: { claims: 3 } }
    expect(verdict({ ...result, undone: ['poison'] })).toBe('vacuous')
    expect(page({ ...result, undone: ['poison'] })).toContain('it saw no poison')
  })
})

it.each(Object.keys(MUTANTS))(
  'the mutant %s is made of text that is there, and of SQL that is right',
  async (name) => {
    const mutant = MUTANTS[name] as (typeof MUTANTS)[string]
    expect(Object.keys(CHECKS)).toContain(mutant.check)
    const changed = mutatedSql(mutant)
    expect(changed.length > 0 || mutant.ackEarly).toBe(true)
    const findings = check(await world.after(changed.join('\n')))
    expect(violationsOf({ findings })).toEqual([])
  },
)
