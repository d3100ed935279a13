/** From where on something is worth a word: at each limit, one step before and one behind. */
import { DOCTOR_LIMITS } from 'holdfast/store'
import { expect, it } from 'vitest'
import type { Finding } from '../../../src/doctor/finding.js'
import { judgeRoom, judgeUpkeep } from '../../../src/doctor/installation.js'
import { judgeClock, judgeConnections } from '../../../src/doctor/server.js'
import { judgeHolder, judgeNotify } from '../../../src/doctor/sessions.js'
import { judgeTable } from '../../../src/doctor/tables.js'

const at = { limits: DOCTOR_LIMITS, schema: 'holdfast' }
const holder = { kind: 'session', name: '1', who: 'ann', state: 'active', query: 'select' } as const
const chore = { name: 'age', everySec: 300, idleSec: 0, changed: false, error: null as string | null }
const table = { table: 't', live: 0, vacuumedAt: null, off: false }

const CASES: [limit: string, ask: (value: number) => Finding[], values: number[], found: boolean[]][] = [
  [
    'a transaction of 300 s',
    (seconds) => judgeHolder({ ...holder, seconds }, at),
    [299, 300, 301],
    [false, false, true],
  ],
  [
    '50,000 dead rows',
    (dead) => judgeTable({ ...table, dead, comesAt: 50 }, at),
    [49_999, 50_000, 50_001],
    [false, false, true],
  ],
  [
    'five times what makes autovacuum come',
    (dead) => judgeTable({ ...table, dead, comesAt: 20_000 }, at),
    [99_999, 100_000, 100_001],
    [false, false, true],
  ],
  [
    'a tenth of the queue of NOTIFY',
    (share) => judgeNotify(share, at),
    [0.099, 0.1, 0.101],
    [false, true, true],
  ],
  [
    'a second of skew',
    (skewMs) => judgeClock({ skewMs, wayMs: 0 }, at),
    [999, 1000, 1001],
    [false, false, true],
  ],
  [
    'a second of skew, behind',
    (skewMs) => judgeClock({ skewMs, wayMs: 0 }, at),
    [-999, -1000, -1001],
    [false, false, true],
  ],
  [
    'beyond what the way takes',
    (skewMs) => judgeClock({ skewMs, wayMs: 400 }, at),
    [1199, 1200, 1201],
    [false, false, true],
  ],
  [
    'four connections of five',
    (used) => judgeConnections({ max: 103, reserved: 3, used, ours: 1, processes: 1 }, at),
    [79, 80, 81],
    [false, false, true],
  ],
  [
    'five connections a worker process',
    (processes) => judgeConnections({ max: 103, reserved: 3, used: 1, ours: 1, processes }, at),
    [19, 20, 21],
    [false, false, true],
  ],
  [
    'a tenth of a range',
    (room) => judgeRoom({ room, width: 1_000 }, at),
    [99, 100, 101],
    [true, false, false],
  ],
  [
    'three passes of the only chore that is known of, and two minutes',
    (idleSec) => judgeUpkeep({ chores: [{ ...chore, idleSec }], jobs: true }, at),
    [1019, 1020, 1021],
    [false, false, true],
  ],
]

it.each(CASES)('%s', (_limit, ask, values, found) => {
  expect(values.map((value) => ask(value).length > 0)).toEqual(found)
})

it('upkeep that never ran matters once there was a job', () => {
  expect([false, true].map((jobs) => judgeUpkeep({ chores: [], jobs }, at).length)).toEqual([0, 1])
})

it('each chore is measured by its own interval; all of them late is upkeep asleep', () => {
  const often = { ...chore, name: 'promote', everySec: 1, idleSec: 124 }
  const seldom = { ...chore, name: 'stale', everySec: 21_600, idleSec: 60_000 }
  const found = (...chores: (typeof chore)[]) =>
    judgeUpkeep({ chores, jobs: true }, at).map(({ code, data }) => [code, data.chores ?? data.idleSec])
  expect(found({ ...often, idleSec: 123 }, seldom)).toEqual([])
  expect(found(often, seldom)).toEqual([['chore_late', ['promote']]])
  expect(found({ ...often, changed: true }, seldom)).toEqual([])
  expect(found(often, { ...seldom, idleSec: 70_000 })).toEqual([['upkeep_asleep', 124]])
})
