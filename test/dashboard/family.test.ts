import { expect, it } from 'vitest'
import { familyOf, type Member, type Relative } from '../../dashboard/src/pages/job/family.js'

const job = (id: number, more: Partial<Relative> = {}): Relative => ({
  ...{ id, queue: 'q', kind: `k${id}`, state: 'queued', status: 'queued', trace: null },
  ...{ created_at: '2030-01-01T00:00:00Z', finished_at: null, parent_id: null, retry_of: null },
  ...more,
})

const drawn = (members: readonly Member[]): unknown[] =>
  members.map(({ job: { id }, how, below }) => [id, how, ...drawn(below)])

it('children are below what enqueued them, retries below what they retry, and others of the trace beside them', () => {
  const jobs = [
    job(1),
    job(2, { parent_id: 1 }),
    job(3, { parent_id: 1 }),
    job(4, { parent_id: 2 }),
    job(5, { parent_id: 1, retry_of: 2 }),
    job(9),
  ]
  for (const id of [1, 2, 4])
    expect(drawn(familyOf(id, jobs))).toEqual([
      [1, null, [2, 'child', [4, 'child'], [5, 'retry']], [3, 'child']],
      [9, 'trace'],
    ])
  expect(drawn(familyOf(9, jobs))[0]).toEqual([9, null])
})

it('a parent that is gone or a circle of ids ends the tree', () => {
  expect(drawn(familyOf(7, [job(7, { parent_id: 3 })]))).toEqual([[7, null]])
  const circle = [job(1, { parent_id: 2 }), job(2, { parent_id: 1 }), job(3, { parent_id: 3 })]
  expect(drawn(familyOf(1, circle))).toEqual([
    [2, null, [1, 'child']],
    [3, 'trace'],
  ])
})
