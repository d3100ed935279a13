/** What is going on, on one page: how much is where, what failed last, what stands still, who works. Read-only, and without a script. */

import type { Problem } from '../../contract/problem.js'
import type { WorkerSeen } from '../../store/fleet.js'
import type { ListedJob } from '../../store/list-jobs.js'
import { type BlockedTarget, COUNTED_AT_MOST, type QueueCounts } from '../../store/listing.js'
import type { Queue } from '../../store/queues.js'
import { page } from './frame.js'
import { type Html, html } from './html.js'

export interface Status {
  readonly tenant: string
  readonly now: Date
  readonly stopping: boolean
  readonly queues: readonly Queue[]
  readonly counts: readonly QueueCounts[]
  readonly failures: readonly ListedJob[]
  readonly blocked: readonly BlockedTarget[]
  readonly workers: readonly WorkerSeen[]
  /** Where this server is reached, for the line to paste. */
  readonly origin: string
}

const COUNTS = ['queued', 'running', 'delayed', 'waiting', 'blocked'] as const

export function statusPage(status: Status): string {
  const { tenant, stopping, queues } = status
  const mark = stopping
    ? html`<span class="mark warn">stopping</span>`
    : html`<span class="mark good">serving</span>`
  return page(
    { title: 'Status', look: LOOK, head: AGAIN },
    html`<header><h1>Holdfast</h1><p>tenant <b>${tenant}</b> · ${moment(status.now)}</p><p class="state">${mark}</p></header>
<main>
${tiles(status)}
${status.blocked.length > 0 && blockedTable(status)}
${queues.length === 0 ? nothingYet(status) : queueTable(status)}
${status.blocked.length === 0 && blockedTable(status)}
${failureTable(status)}
${workerTable(status)}
</main>
<footer><a href="docs">HTTP API</a><a href="docs/problems">Problems</a><a href="openapi.json">OpenAPI</a><a href="readyz">Health</a>
<span>This page looks again every 30 seconds.</span></footer>`,
  )
}

const LOOK = 'status.css'
const AGAIN = html`<meta http-equiv="refresh" content="30">`

/** For whoever has no key, or not the right one. */
export function doorPage(title: string, text: string): string {
  return page(
    { title, look: LOOK },
    html`<main class="door"><section><h2>${title}</h2><p>${text}</p>
<p>This page takes a key with the scope <code>read</code>: leave the user name empty and give the key as the password. A key is made with</p>
<pre>holdfast keys create me --scope read</pre></section></main>`,
  )
}

/** When there is nothing to show, because it could not be had or must not be shown here. It looks again: most of it passes. */
export function troublePage({ title, status, code, detail, remedy, instance }: Problem): string {
  return page(
    { title, look: LOOK, head: AGAIN },
    html`<main class="door"><section class="bad"><h2>${title} <span class="mark">${status}</span></h2><p>${detail.replace(remedy, '')}</p>
<p><b>${remedy}</b></p><p>Problem <a href="docs/problems#${code}"><code>${code}</code></a>, request <code>${instance}</code>. This page looks again every 30 seconds.</p></section></main>`,
  )
}

function tiles({ counts, workers }: Status): Html {
  const alive = workers.filter(({ alive }) => alive).length
  const totals = COUNTS.map((name) => {
    const each = counts.map((row) => row[name])
    const sum = each.reduce((a, b) => a + b, 0)
    const text = `${shown(sum)}${each.some(isCut) ? '+' : ''}`
    return html`<li${name === 'blocked' && sum > 0 ? html` class="bad"` : ''}><b>${text}</b><span>${name}</span></li>`
  })
  return html`<ul class="tiles">${totals}<li><b>${alive}</b><span>${alive === 1 ? 'worker' : 'workers'}</span></li></ul>`
}

function queueTable({ queues, counts }: Status): Html {
  const byId = new Map(counts.map((row) => [row.queueId, row]))
  const rows = queues.map(({ id, name, preset, pausedAt, pauseReason }) => {
    const row = byId.get(id)
    const paused =
      pausedAt === null ? '' : html` <span class="mark warn">paused</span><small>${pauseReason}</small>`
    const cells = COUNTS.map((column) => number(column, row?.[column] ?? 0))
    return html`<tr><td class="lead">${name}${paused}</td><td data-label="preset">${preset}</td>${cells}</tr>\n`
  })
  const heads = COUNTS.map((name) => html`<th class="number">${name}</th>`)
  return html`<section><h2>Queues</h2><table><thead><tr><th>queue</th><th>preset</th>${heads}</tr></thead><tbody>${rows}</tbody></table></section>`
}

function number(label: string, count: number): Html {
  const look = count === 0 ? ' zero' : label === 'blocked' ? ' alarm' : ''
  const text = `${shown(count)}${isCut(count) ? '+' : ''}`
  return html`<td class="number${look}" data-label="${label}">${text}</td>`
}

function nothingYet({ origin }: Status): Html {
  return html`<section><h2>Nothing here yet</h2><p>A queue is made with its first job. Make one:</p>
<pre>curl ${origin}/api/v1/jobs -H 'content-type: application/json' \\
  -d '{"queue": "mail", "kind": "welcome", "input": {"to": "ada"}}'</pre></section>`
}

function blockedTable({ blocked, now }: Status): Html {
  if (blocked.length === 0)
    return html`<section><h2>Blocked targets</h2><p>No target stands still.</p></section>`
  const rows = blocked.map(
    ({ queue, target, jobId, state, reason, lastError, since, behind }) =>
      html`<tr><td class="lead">${target}<small>in ${queue}</small></td><td data-label="job">${jobId}</td><td data-label="state"><span class="mark bad">${state}</span></td>
<td data-label="why">${cut(reason ?? lastError ?? '')}</td><td class="plain" data-label="since">${ago(since, now)}</td>${number('behind it', behind)}</tr>\n`,
  )
  return html`<section class="bad"><h2>Blocked targets <span class="mark">${blocked.length}</span></h2><table><thead><tr><th>target</th><th>job</th><th>state</th><th>why</th>
<th>since</th><th class="number">behind it</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function failureTable({ failures, now }: Status): Html {
  if (failures.length === 0)
    return html`<section><h2>Latest failures</h2><p>No job that is still kept has failed.</p></section>`
  const rows = failures.map(
    ({ id, queue, kind, attempt, reason, lastError, finishedAt }) =>
      html`<tr><td class="lead">${kind}<small>job ${id} in ${queue}</small></td><td data-label="why">${cut(lastError ?? reason ?? '')}</td>
<td class="number" data-label="attempts">${attempt}</td><td class="plain" data-label="when">${finishedAt === null ? '' : ago(finishedAt, now)}</td></tr>\n`,
  )
  return html`<section><h2>Latest failures</h2><table><thead><tr><th>job</th><th>why</th><th class="number">attempts</th><th>when</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function workerTable({ workers, now }: Status): Html {
  if (workers.length === 0)
    return html`<section><h2>Workers</h2><p>No worker has said that it is there. Those that pull over HTTP say nothing.</p></section>`
  const rows = workers.map(
    (worker) =>
      html`<tr><td class="lead">${worker.worker}<small>${worker.host}, process ${worker.pid}</small></td><td data-label="state">${stateOf(worker)}</td>
<td class="number plain" data-label="busy">${worker.busy} of ${worker.slots}</td><td data-label="queues">${cut(worker.queues.join(', '))}</td><td class="plain" data-label="heard">${ago(worker.heardAt, now)}</td></tr>\n`,
  )
  return html`<section><h2>Workers</h2><table><thead><tr><th>worker</th><th>state</th><th class="number">busy</th><th>queues</th><th>heard</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function stateOf({ alive, draining }: WorkerSeen): Html {
  if (!alive) return html`<span class="mark bad">silent</span>`
  return draining ? html`<span class="mark warn">draining</span>` : html`<span class="mark good">alive</span>`
}

function isCut(count: number): boolean {
  return count >= COUNTED_AT_MOST
}

function shown(count: number): string {
  return count.toLocaleString('en-US')
}

const TEXT_CHARS = 160

function cut(text: string): string {
  const letters = [...text]
  return letters.length > TEXT_CHARS ? `${letters.slice(0, TEXT_CHARS).join('')}…` : text
}

function moment(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`
}

const STEPS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

function ago(at: Date, now: Date): Html {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1000))
  const [size, name] = STEPS.find(([each]) => seconds >= each) ?? [1, 's']
  return html`<time datetime="${at.toISOString()}" title="${at.toISOString()}">${Math.floor(seconds / size)} ${name} ago</time>`
}
