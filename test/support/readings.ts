/** A job as every reader of it has it: the library, HTTP, the command line and SQL. */
import type { Store } from 'holdfast/store'
import { expect } from 'vitest'
import { holdfast } from './cli/child.js'
import type { Served } from './http.js'
import { postgresUrl } from './world.js'

export interface Reading {
  readonly state: string
  readonly status: string
}

interface Row extends Reading {
  readonly id: number
}

const of = ({ state, status }: Reading): Reading => ({ state, status })

/** By the library, HTTP and SQL, which must agree. */
export async function readJob(
  { store, call }: Pick<Served, 'store' | 'call'>,
  jobId: number,
): Promise<Reading> {
  const { body } = await call('GET', `/api/v1/jobs/${jobId}`)
  const [row] = await store.database.query<Row>('select state, status from holdfast.jobs where id = $1', [
    jobId,
  ])
  const { body: listed } = await call('GET', `/api/v1/jobs?queue=${body.queue}&page_size=500`)
  const { body: history } = await call('GET', `/api/v1/jobs/${jobId}/history`)
  const inList = (listed.jobs as Row[]).find(({ id }) => id === jobId)
  const readings = { library: await store.read.job(jobId), list: inList, sql: row, history }
  for (const [name, reading] of Object.entries(readings)) expect(of(reading as Row), name).toEqual(of(body))
  return of(body)
}

/** By the command line too: alone and in a list. */
export async function readJobEverywhere(
  served: Pick<Served, 'store' | 'call'>,
  jobId: number,
): Promise<Reading> {
  const reading = await readJob(served, jobId)
  const { store } = served
  const [shown, listed] = await Promise.all([
    cli(store, 'show', String(jobId), '--json'),
    cli(store, 'list', '--json', '--limit', '500'),
  ])
  expect(of(JSON.parse(shown)), 'jobs show --json').toEqual(reading)
  const inList = (JSON.parse(listed).jobs as Row[]).find(({ id }) => id === jobId)
  expect(of(inList as Row), 'jobs list --json').toEqual(reading)
  return reading
}

/** As people read it: `retrying (failed_retryable)`, in the line of the job and in the list. */
export async function printedState(store: Store, jobId: number): Promise<string[]> {
  const texts = await Promise.all([cli(store, 'show', String(jobId)), cli(store, 'list')])
  return texts.map((text) => /[a-z]+ \(\w+\)/.exec(text)?.[0] ?? text)
}

async function cli(store: Store, ...args: string[]): Promise<string> {
  const flags = ['--url', postgresUrl(), '--schema', store.schema]
  const { code, stdout, stderr } = await holdfast(['jobs', ...args, ...flags])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}
