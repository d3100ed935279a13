import { expect, it } from 'vitest'
import { start } from '../support/cli/long-running.js'
import { emptyFolder } from './run-holdfast.js'

/** Its first slot comes within ten seconds, and it counts as late a quarter of a minute after it. */
const LATE_WITHIN_MS = 60_000

it('`up --demo` has a blocked target, a failing kind, a queue without a worker, progress, a schedule of a kind that no program declares and a late one', async () => {
  const run = start(['up', '--demo'], emptyFolder())
  const up = await run.said(({ msg }) => msg === 'up')
  const read = async (path: string) => (await fetch(`${up.server}/api/v1/${path}`)).json()
  const jobs = async (query: string) => ((await read(`jobs?${query}`)) as { jobs: unknown[] }).jobs.length
  const late = async () => {
    const { problems } = (await read('overview')) as {
      problems: { type: string; subject: { name: string } }[]
    }
    return problems.filter(({ type }) => type === 'late_schedule').map(({ subject }) => subject.name)
  }
  await Promise.all([
    expect.poll(() => jobs('queue=conversations&state=errored')).toBe(1),
    expect.poll(() => jobs('queue=conversations&state=waiting')).toBe(12),
    expect.poll(() => jobs('queue=billing&state=retrying')).toBeGreaterThan(0),
    expect.poll(() => jobs('queue=media&state=running')).toBeGreaterThan(0),
    expect.poll(() => jobs('queue=reports&state=queued')).toBe(3),
    expect.poll(() => read('schedules/exchange-rates')).toMatchObject({ kind: 'import-rates' }),
    expect.poll(late, { timeout: LATE_WITHIN_MS }).toEqual(['follow-up']),
  ])
  // Every pass of the scheduler tries it, and the page Doctor has the reason.
  const failure = async () => {
    const { chores } = (await read('upkeep')) as { chores: { name: string; error: string | null }[] }
    return chores.find(({ name }) => name === 'schedules')?.error ?? ''
  }
  await expect.poll(failure, { timeout: LATE_WITHIN_MS }).toContain('The input field {customer}')
  run.child.kill('SIGTERM')
  expect(await run.end).toMatchObject({ code: 0 })
})
