// Places in the feed, compared without the database: never more is claimed than is so.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Cursor, hasSeen, isCovered, isPast, meetOf, parseCursor } from '../../src/server/live/cursor.js'

const XIDS = 12

const text = (xmax: number, open: readonly number[]) => {
  const still = open.filter((xid) => xid < xmax).sort((a, b) => a - b)
  return `${still[0] ?? xmax}:${xmax}:${still.join(',')}`
}

const xids = fc.uniqueArray(fc.integer({ min: 1, max: XIDS }), { maxLength: 4 })
const xmax = fc.integer({ min: 1, max: XIDS })
const snapshot = fc.tuple(xmax, xids).map(([most, open]) => text(most, open))

/** Later than a snapshot: some of what was open has ended, and some of what has begun since is open. */
const cursor = fc
  .record({
    xmax,
    open: xids,
    later: xmax,
    stillOpen: xids,
    xid: xmax,
    id: fc.integer({ min: 1, max: 3 }),
    isMiddle: fc.boolean(),
  })
  .map(({ xmax: most, open, later, stillOpen, xid, id, isMiddle }) => {
    const from = text(most, open)
    const to = text(
      Math.max(most, later),
      stillOpen.filter((each) => each >= most || open.includes(each)),
    )
    return parseCursor(isMiddle ? `${from}|${to}|${xid}|${id}` : from) as Cursor
  })

const PLACES = Array.from({ length: XIDS * 3 }, (_, n) => ({ xid: Math.floor(n / 3) + 1, id: (n % 3) + 1 }))
const unseen = (at: Cursor) => PLACES.filter((place) => !hasSeen(at, place))

it('whoever is covered by a floor has missed nothing that the floor has had', () => {
  let covered = 0
  const check = fc.property(cursor, cursor, (at, floor) => {
    if (!isCovered(at, floor)) return
    covered += 1
    for (const place of unseen(at)) expect(hasSeen(floor, place)).toBe(false)
  })
  fc.assert(check, { numRuns: 5_000, seed: 7 })
  expect(covered).toBeGreaterThan(100)
})

it('a place covers itself; also in the middle of a page those after it on the same page', () => {
  fc.assert(
    fc.property(snapshot, (from) => isCovered(parseCursor(from) as Cursor, parseCursor(from) as Cursor)),
  )
  const at = (xid: number, id: number) => parseCursor(`3:5:3|3:9:3|${xid}|${id}`) as Cursor
  expect([
    isCovered(at(6, 2), at(6, 1)),
    isCovered(at(6, 1), at(6, 1)),
    isCovered(at(6, 1), at(6, 2)),
  ]).toEqual([true, true, false])
})

it('what all of some have seen is what is visible where they meet', () => {
  fc.assert(
    fc.property(fc.array(cursor, { minLength: 1, maxLength: 4 }), (all) => {
      const meet = parseCursor(meetOf(all)) as Cursor
      for (const place of PLACES)
        expect(all.every(({ from }) => hasSeen({ ...meet, from }, place))).toBe(hasSeen(meet, place))
      for (const each of all) expect(isCovered(each, meet)).toBe(true)
    }),
  )
})

it('past a place, nothing that is still to come has been seen there', () => {
  fc.assert(
    fc.property(snapshot, cursor, (position, at) => {
      const here = parseCursor(position) as Cursor
      if (isPast(here, at)) for (const place of unseen(here)) expect(hasSeen(at, place)).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

it.each([
  '',
  '1:2',
  'a:b:',
  '0:0:',
  '5:4:',
  '1:5:7',
  '1:5:3,2',
  '2:5:1',
  '1:9:|1:5:|3|4',
  '1:2:3,',
  '1:2:|1:2:',
  '1:2:|1:2:|3',
  '1:2:|1:2:|3|4|5',
])('%j is no place', (text) => {
  expect(parseCursor(text)).toBeUndefined()
})
