import type { ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../../src/embedded/process.js'
import { openEmbedded } from '../../src/store/open-embedded.js'
import { emptyFolder, finished, holdfast, type Step, startHoldfast, steps, toldStep } from './run-holdfast.js'

/** A server that ended while nobody waits for it may linger as a zombie, which is not running. */
const isRunning = (pid: unknown): boolean => isAlive({ pid: Number(pid) })

async function demo(cwd: string, ...flags: string[]): Promise<(name: string) => Step> {
  const { code, stdout, stderr } = await holdfast(['demo', '--json', ...flags], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const told = steps(stdout)
  return (name) => {
    const step = told.get(name)
    if (step === undefined) throw new Error(`the demo did not tell the step ${name}`)
    return step
  }
}

/** Every promise of the demo, held against what it told. */
function expectTrueStory(step: (name: string) => Step): void {
  const { jobIds } = step('enqueue') as unknown as { jobIds: number[] }
  expect(jobIds).toHaveLength(6)
  const { committed } = step('transaction') as unknown as { committed: { jobId: number } }
  expect(step('transaction')).toMatchObject({
    committed: { jobId: expect.any(Number) },
    rolledBack: { orders: 0, jobs: 0 },
  })
  const { batches } = step('batches') as unknown as { batches: { claimed: number[]; succeeded: number }[] }
  expect(batches.flatMap(({ claimed }) => claimed).sort((a, b) => a - b)).toEqual([
    ...jobIds,
    committed.jobId,
  ])
  expect(batches.some(({ claimed }) => claimed.length > 1)).toBe(true)
  expect(step('retry')).toMatchObject({
    attempts: [
      { attempt: 1, state: 'retrying', waitMs: expect.any(Number) },
      { attempt: 2, state: 'succeeded' },
    ],
  })
  expect(step('frozen')).toMatchObject({
    frozen: { worker: 'bert', attempt: 1 },
    taken: { worker: 'anna', attempt: 2, state: 'succeeded' },
    late: { accepted: false, code: 'lease_lost' },
  })
  const { first, again } = step('dedup') as unknown as Record<'first' | 'again', { jobId: number }>
  expect(again).toEqual({ jobId: first.jobId, deduplicated: true })
  expectInOrder(step('target'))
  expect(step('explain')).toMatchObject({ reasons: [{ code: 'target_held', blocking: true }] })
  expect(step('story').report).toMatchObject({
    job_id: step('frozen').jobId,
    state: 'succeeded',
    attempts: [
      { outcome: 'lost', worker: 'bert' },
      { outcome: 'succeeded', worker: 'anna' },
    ],
  })
  expect(step('counts')).toMatchObject({ run: { jobs: 12 }, history: { live: 0 } })
  expect(step('violations').violations).toEqual([])
  expect(step('end').stopped).toBe(true)
}

/** Within 80 columns, and without colours, because nobody watches. */
function expectReadable(screen: string): void {
  expect(screen).not.toContain('\x1b')
  for (const line of screen.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  for (const words of ['LeaseLost', 'rolled back', 'account:42', 'story of job', 'nothing new was made'])
    expect(screen).toContain(words)
}

function expectInOrder(target: Step): void {
  const { first, second, claimedTogether, order } = target as unknown as {
    first: number
    second: number
    claimedTogether: number[]
    order: number[]
  }
  expect(claimedTogether).toContain(first)
  expect(claimedTogether).not.toContain(second)
  expect(order.indexOf(first)).toBeLessThan(order.indexOf(second))
}

describe('holdfast demo', () => {
  it('shows everything it promises, twice in the same folder, never touching DATABASE_URL, and leaves no server behind', async () => {
    const folder = emptyFolder()
    const first = await demo(folder)
    expect(first('database')).toMatchObject({ driver: 'postgres', how: 'started', folder: './.holdfast/pg' })
    expect(first('history')).toMatchObject({ jobs: 0, leftOver: 0 })
    expectTrueStory(first)
    expect(isRunning(first('database').pid)).toBe(false)

    const env = { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none' }
    const second = await holdfast(['demo'], { cwd: folder, env })
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expectReadable(second.stdout)
    expect(second.stdout).toContain('12 jobs of earlier runs')
    expect(second.stdout).toContain('24 jobs, 0 of them unfinished')
    expect(second.stdout).not.toContain('hunter2')
  })

  it('killed on its way, is followed by one that adopts the server and finishes what was accepted', async () => {
    const folder = emptyFolder()
    const child = startHoldfast(['demo', '--json'], { cwd: folder })
    const ended = finished(child)
    const accepted = await toldStep(child, 'transaction')
    child.kill('SIGKILL')
    const { stdout } = await ended
    const { pid } = steps(stdout).get('database') as Step
    expect(isRunning(pid)).toBe(true)

    const next = await demo(folder)
    expect(next('database')).toMatchObject({ how: 'adopted', pid })
    expect(accepted).toMatchObject({ committed: { jobId: expect.any(Number) } })
    const { jobs, leftOver, finished: done } = next('history') as unknown as Record<string, number>
    expect(jobs).toBeGreaterThanOrEqual(7)
    expect(done).toBe(leftOver)
    expectTrueStory(next)
    expect(next('counts')).toMatchObject({ history: { jobs: (jobs ?? 0) + 12, live: 0 } })
    expect(isRunning(pid)).toBe(false)
  })

  it.each([
    { when: 'on Ctrl-C, with 130', end: (child: ChildProcess) => child.kill('SIGINT'), exit: 130 },
    { when: 'when its reader goes away', end: (child: ChildProcess) => child.stdout?.destroy(), exit: 0 },
  ])('stops cleanly $when', async ({ end, exit }) => {
    const folder = emptyFolder()
    const child = startHoldfast(['demo', '--json'], { cwd: folder })
    const ended = finished(child)
    await toldStep(child, 'enqueue')
    end(child)
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: exit, stderr: '' })
    expect(isRunning((steps(stdout).get('database') as Step).pid)).toBe(false)
  })

  it('refuses a second demo in the same folder while the first one runs, but lets migrate look', async () => {
    const folder = emptyFolder()
    const child = startHoldfast(['demo', '--json'], { cwd: folder })
    const ended = finished(child)
    await toldStep(child, 'schema')
    // A stopped process still owns its folder; so the first demo cannot be through before we asked.
    child.kill('SIGSTOP')
    const second = await holdfast(['demo', '--json'], { cwd: folder })
    const status = await holdfast(['migrate', 'status', '--json'], { cwd: folder })
    child.kill('SIGCONT')
    expect((await ended).code).toBe(0)
    expect(second.code).toBe(69)
    expect(JSON.parse(second.stderr)).toMatchObject({ code: 'embedded_in_use', remedy: expect.any(String) })
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'current' })
  })

  it('tells the same story on PGlite', async () => {
    const step = await demo(emptyFolder(), '--pglite')
    expect(step('database')).toMatchObject({ driver: 'pglite', how: 'in-process' })
    expectTrueStory(step)
  })
})

describe('the database of somebody who has none', () => {
  const noPostgres = join('/', 'there', 'is', 'no', 'postgres', 'here')

  it('is PGlite, with a note, where Postgres cannot run, and stays PGlite from then on', async () => {
    const home = join(emptyFolder(), 'home')
    const first = await openEmbedded({ home, binDir: noPostgres })
    expect(first).toMatchObject({ how: 'in-process', pid: undefined })
    expect(first.notes.join(' ')).toContain('Postgres cannot run here')
    await first.database.script('create table kept (n int); insert into kept values (7)')
    await first.close()

    const second = await openEmbedded({ home })
    expect(second.how).toBe('in-process')
    expect(await second.database.query('select n from kept')).toEqual([{ n: 7 }])
    await second.close()
  })

  it('is refused rather than empty, where there is Postgres data that cannot be served', async () => {
    const home = join(emptyFolder(), 'home')
    await (await openEmbedded({ home })).close()
    await expect(openEmbedded({ home, binDir: noPostgres })).rejects.toMatchObject({
      code: 'embedded_unavailable',
    })
    expect(readdirSync(home)).toEqual(['pg'])
  })
})
