// Who gets a connection next: calls of workers first, large ones last, tenants in turn.
import { expect, it } from 'vitest'
import { ConnectionGate, type GateEntry } from '../../src/database/connection-gate.js'

/** Nobody waits so long here. */
const LONG_MS = 2 ** 31 - 1

/** Callers of a gate by name, in the order in which they got in. */
function callers(places: number) {
  const gate = new ConnectionGate(places)
  const order: string[] = []
  const leaving = new Map<string, () => void>()
  const come = async (name: string, entry: GateEntry = {}) => {
    const leave = await gate.enter(entry, LONG_MS)
    order.push(name)
    leaving.set(name, leave)
  }
  const go = async (name: string) => {
    leaving.get(name)?.()
    // Whoever is next is told in a microtask or two.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { gate, order, come, go }
}

it('6.16 a call of a worker finds a connection when all others are taken', async () => {
  const { gate, order, come, go } = callers(4)
  await come('renewal', { rank: 'first' })
  await go('renewal')
  for (const name of ['a', 'b', 'c']) await come(name)
  for (const name of ['d', 'e']) void come(name)
  await come('next renewal', { rank: 'first' })
  expect(order).toEqual(['renewal', 'a', 'b', 'c', 'next renewal'])
  expect(gate.waiting).toBe(2)
})

it('6.16 calls of workers wait before all others, and large ones behind them', async () => {
  const { order, come, go } = callers(1)
  await come('busy')
  void come('large', { rank: 'last' })
  void come('usual')
  void come('renewal', { rank: 'first' })
  for (const name of ['busy', 'renewal', 'usual', 'large']) await go(name)
  expect(order).toEqual(['busy', 'renewal', 'usual', 'large'])
})

it('6.16 large calls have at most half of the connections that are for everything', async () => {
  const { gate, order, come } = callers(8)
  await come('renewal', { rank: 'first' })
  for (let n = 0; n < 8; n++) void come(`large-${n}`, { rank: 'last' })
  for (let n = 0; n < 2; n++) await come(`usual-${n}`)
  expect(order.filter((name) => name.startsWith('large'))).toHaveLength(3)
  expect(order.filter((name) => name.startsWith('usual'))).toHaveLength(2)
  expect(gate.waiting).toBe(5)
})

it('6.16 tenants take turns: one with many calls in line delays another’s by one', async () => {
  const { order, come, go } = callers(1)
  await come('busy')
  for (let n = 0; n < 5; n++) void come(`noisy-${n}`, { tenant: 'noisy' })
  for (let n = 0; n < 2; n++) void come(`calm-${n}`, { tenant: 'calm' })
  for (const name of ['busy', 'noisy-0', 'calm-0', 'noisy-1', 'calm-1', 'noisy-2', 'noisy-3']) await go(name)
  expect(order.slice(1)).toEqual(['noisy-0', 'calm-0', 'noisy-1', 'calm-1', 'noisy-2', 'noisy-3', 'noisy-4'])
})

it('6.16 whoever waits too long is refused and leaves the line', async () => {
  const gate = new ConnectionGate(1)
  await gate.enter({}, LONG_MS)
  await expect(gate.enter({}, 1)).rejects.toMatchObject({ code: 'deadline_exceeded' })
  expect(gate.waiting).toBe(0)
})

it('6.16 a process whose workers call nothing has all connections for everything', async () => {
  const { order, come } = callers(4)
  for (const name of ['a', 'b', 'c', 'd']) await come(name)
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})
