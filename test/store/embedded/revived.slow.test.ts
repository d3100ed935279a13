// The server dies, and its owner lives.

import { join } from 'node:path'
import { defineJob, holdfast } from 'holdfast'
import { findEmbedded } from 'holdfast/embedded'
import { expect, it } from 'vitest'
import { isAlive, markOf } from '../../../src/embedded/process.js'
import { openEmbedded } from '../../../src/store/open-embedded.js'
import { dir, embeddedWorld, home, start } from './world.js'

embeddedWorld()

const SOON = { timeout: 100_000 }

const ask = async (url: string) => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query('select n from kept')).rows
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end().catch(() => {})
  }
}

it.each(['SIGKILL', 'SIGINT'] as const)(
  '6.10 the embedded server is brought back when it dies (%s) under a living owner, with its data and its address',
  async (how) => {
    const news: string[] = []
    const server = await start({ onNotice: (text) => void news.push(text) })
    const { pid, url } = server
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    await client.query('drop table if exists kept; create table kept as select 7 as n')
    const dead = markOf(pid)
    process.kill(pid, how)
    await expect.poll(() => isAlive(dead), SOON).toBe(false)
    await expect.poll(() => ask(url), SOON).toEqual([{ n: 7 }])
    await expect
      .poll(() => news, SOON)
      .toEqual([expect.stringContaining(`Postgres (pid ${pid}) ended and was restarted`)])
    expect(server).toMatchObject({ url, pid: expect.any(Number) })
    expect(server.pid).not.toBe(pid)
    expect(await findEmbedded({ dir })).toMatchObject({ url, pid: server.pid, ownerPid: process.pid })
    const next = markOf(server.pid)
    await server.stop()
    expect(isAlive(next), 'and stopped with its owner').toBe(false)
  },
)

it('6.10 what works on an embedded server goes on when that was brought back', async () => {
  const job = defineJob({ kind: 'greet', handler: async (_ctx, name: string) => `hello ${name}` })
  const app = await holdfast({ embedded: { home: join(home, 'here') }, jobs: [job] })
  await app.work()
  expect(await (await app.enqueue(job, 'ada')).result()).toBe('hello ada')
  const found = await findEmbedded({ dir: join(home, 'here', 'pg') })
  process.kill(found?.pid as number, 'SIGKILL')
  await expect.poll(() => isAlive({ pid: found?.pid as number }), SOON).toBe(false)
  expect(await (await again(() => app.enqueue(job, 'bob'))).result()).toBe('hello bob')
  await app.stop({ graceMs: 0 })
})

it('6.10 an open embedded database says where its server is now', async () => {
  const opened = await openEmbedded({ home: join(home, 'here') })
  const { pid } = opened
  process.kill(pid as number, 'SIGKILL')
  await expect.poll(() => opened.pid, SOON).not.toBe(pid)
  expect(await again(() => opened.database.query('select 1 as one'))).toEqual([{ one: 1 }])
  await opened.close()
})

/** The database may be away for longer than one call waits. */
async function again<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if ((error as { code?: string }).code !== 'unavailable') throw error
    }
  }
}
