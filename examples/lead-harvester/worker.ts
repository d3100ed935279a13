/** The worker in TypeScript; worker.py does the same in Python. It pulls a job, reports page by page, and resumes from the last cursor. */
import { parseArgs } from 'node:util'
import { onStop } from '../support/lifetime.js'
import { LeaseLost, PullApi, type Pulled, Refused, type Reported } from './api.js'

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    'worker-id': { type: 'string', default: `typescript-${process.pid}` },
    'lease-sec': { type: 'string', default: '60' },
    'wait-sec': { type: 'string', default: '20' },
  },
})
const leaseSec = Number(flags['lease-sec'])
const waitSec = Number(flags['wait-sec'])
// The key is not a flag: every user of the machine can see those.
const api = new PullApi(flags.url, process.env.HOLDFAST_KEY)
const stopping = new AbortController()

interface Page {
  readonly leads: readonly object[]
  readonly hasNext: boolean
}

const LEAD = /<li class="lead" data-phone="([^"]*)" data-trade="([^"]*)" data-city="([^"]*)">([^<]*)</g

async function fetchPage(site: string, city: string, page: number): Promise<Page> {
  const answer = await fetch(`${site}/${encodeURIComponent(city)}?page=${page}`)
  const html = await answer.text()
  if (!answer.ok) throw new Error(`page ${page} answers ${answer.status}, ${html.trim()}`)
  const leads = [...html.matchAll(LEAD)].map(([, phone, trade, from, name]) => ({
    phone,
    name,
    trade,
    city: from,
  }))
  return { leads, hasNext: html.includes('rel="next"') }
}

/** From where the last report of the job stood. The cursor belongs to the items it is sent with: both are stored, or neither. */
async function harvest(pulled: Pulled): Promise<Reported> {
  const { site, city } = pulled.job.input
  for (let page = pulled.last_cursor?.page ?? 1; ; page++) {
    const { leads, hasNext } = await fetchPage(site, city, page)
    const report = { items: leads, cursor: { page: page + 1 }, extend_lease_sec: leaseSec }
    const answer = await api.report(
      pulled,
      hasNext ? report : { ...report, done: true, done_reason: 'no_more_results' },
    )
    console.log(`${city} page ${page}: ${answer.added} new leads, ${answer.result_count} in all`)
    // It is done when enough leads are in, whatever else the site has.
    if (answer.status !== 'processing' || stopping.signal.aborted) return answer
    if (answer.cancel_requested) throw new Error('canceled on request')
  }
}

async function workOn(pulled: Pulled): Promise<void> {
  const { city } = pulled.job.input
  console.log(`${city}: attempt ${pulled.job.attempts}, from page ${pulled.last_cursor?.page ?? 1}`)
  try {
    const { status, done_reason } = await harvest(pulled).catch((error: Error) => {
      if (error instanceof LeaseLost || error instanceof Refused) throw error
      console.log(`${city}: ${error.message}`)
      return api.report(pulled, { error: error.message, log: error.stack ?? error.message })
    })
    console.log(`${city} is ${status}${done_reason === null ? '' : `: ${done_reason}`}`)
  } catch (error) {
    console.log(`${city}: dropped; ${(error as Error).message}`)
  }
}

async function work(): Promise<void> {
  while (!stopping.signal.aborted) {
    const options = { worker_id: flags['worker-id'], lease_sec: leaseSec, wait_sec: waitSec }
    const pulled = await api.pull(options, stopping.signal).catch((error: Error) => {
      if (!stopping.signal.aborted) throw error
      return undefined
    })
    if (pulled !== undefined) await workOn(pulled)
  }
}

const working = work()
onStop(() => {
  stopping.abort()
  return working
})
await working
