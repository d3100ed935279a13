/** The status page: counts of jobs, latest failures, blocked targets, workers. Read-only, without scripts. */

import type { Problem } from '../../contract/problem.js'
import type { ListedJob } from '../../store/list/jobs.js'
import { type BlockedTarget, COUNT_MAX, type QueueCounts } from '../../store/list/listing.js'
import type { Queue } from '../../store/queues.js'
import type { WorkerRow } from '../../store/workers.js'
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
  readonly workers: readonly WorkerRow[]
  /** The server's own URL, for the example command. */
  readonly origin: string
}

const COUNTS = ['queued', 'running', 'delayed', 'waiting', 'blocked'] as const

export function statusPage(status: Status): string {
  const { tenant, stopping, queues } = status
  const mark = stopping
    ? html`<span class="mark warn">stopping</span>`
    : html`<span class="mark good">serving</span>`
  return page(
    { title: 'Status', style: STYLE, head: REFRESH },
    html`<header><h1>Holdfast</h1><p>tenant <b>${tenant}</b> · ${moment(status.now)}</p><p class="state">${mark}</p></header>
<main>
${tiles(status)}
${status.blocked.length > 0 && blockedTable(status)}
${queues.length === 0 ? emptyState(status) : queueTable(status)}
${status.blocked.length === 0 && blockedTable(status)}
${failureTable(status)}
${workerTable(status)}
</main>
<footer><a href="docs">HTTP API</a><a href="docs/problems">Problems</a><a href="openapi.json">OpenAPI</a><a href="readyz">Health</a>
<span>This page reloads every 30 seconds.</span></footer>`,
  )
}

const STYLE = 'status.css'
const REFRESH = html`<meta http-equiv="refresh" content="30">`

/** For a caller without a key, or with one that lacks the scope. */
export function keyNeededPage(title: string, text: string): string {
  return page(
    { title, style: STYLE },
    html`<main class="door"><section><h2>${title}</h2><p>${text}</p>
<p>This page needs a key with the scope <code>read</code>: leave the user name empty and enter the key as the password. To create a key:</p>
<pre>holdfast keys create me --scope read</pre></section></main>`,
  )
}

/** For any other error. It reloads, because most errors are temporary. */
export function problemPage({ title, status, code, detail, remedy, instance }: Problem): string {
  return page(
    { title, style: STYLE, head: REFRESH },
    html`<main class="door"><section class="bad"><h2>${title} <span class="mark">${status}</span></h2><p>${detail.replace(remedy, '')}</p>
<p><b>${remedy}</b></p><p>Problem <a href="docs/problems#${code}"><code>${code}</code></a>, request <code>${instance}</code>. This page reloads every 30 seconds.</p></section></main>`,
  )
}

function tiles({ counts, workers }: Status): Html {
  const alive = workers.filter(({ alive }) => alive).length
  const totals = COUNTS.map((name) => {
    const sum = counts.reduce((total, row) => total + row[name], 0)
    const text = `${formatted(sum)}${counts.some(({ capped }) => capped.includes(name)) ? '+' : ''}`
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
    const cells = COUNTS.map((column) =>
      number(column, row?.[column] ?? 0, row?.capped.includes(column) === true),
    )
    return html`<tr><td class="lead">${name}${paused}</td><td data-label="preset">${preset}</td>${cells}</tr>\n`
  })
  const heads = COUNTS.map((name) => html`<th class="number">${name}</th>`)
  return html`<section><h2>Queues</h2><table><thead><tr><th>queue</th><th>preset</th>${heads}</tr></thead><tbody>${rows}</tbody></table></section>`
}

function number(label: string, count: number, isCut: boolean): Html {
  const cssClass = count === 0 ? ' zero' : label === 'blocked' ? ' alarm' : ''
  const text = `${formatted(count)}${isCut ? '+' : ''}`
  return html`<td class="number${cssClass}" data-label="${label}">${text}</td>`
}

function emptyState({ origin }: Status): Html {
  return html`<section><h2>No queues yet</h2><p>A queue is created with its first job. Enqueue one:</p>
<pre>curl ${origin}/api/v1/jobs -H 'content-type: application/json' \\
  -d '{"queue": "mail", "kind": "welcome", "input": {"to": "ada"}}'</pre></section>`
}

function blockedTable({ blocked, now }: Status): Html {
  if (blocked.length === 0)
    return html`<section><h2>Blocked targets</h2><p>No target is blocked.</p></section>`
  const rows = blocked.map(
    ({ queue, target, jobId, state, reason, lastError, since, behind }) =>
      html`<tr><td class="lead">${target}<small>in ${queue}</small></td><td data-label="job">${jobId}</td><td data-label="state"><span class="mark bad">${state}</span></td>
<td data-label="why">${cut(reason ?? lastError ?? '')}</td><td class="plain" data-label="since">${ago(since, now)}</td>${number('behind it', behind, behind >= COUNT_MAX)}</tr>\n`,
  )
  return html`<section class="bad"><h2>Blocked targets <span class="mark">${blocked.length}</span></h2><table><thead><tr><th>target</th><th>job</th><th>state</th><th>why</th>
<th>since</th><th class="number">behind it</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function failureTable({ failures, now }: Status): Html {
  if (failures.length === 0)
    return html`<section><h2>Latest failures</h2><p>No stored job has failed.</p></section>`
  const rows = failures.map(
    ({ id, queue, kind, attempt, reason, lastError, finishedAt }) =>
      html`<tr><td class="lead">${kind}<small>job ${id} in ${queue}</small></td><td data-label="why">${cut(lastError ?? reason ?? '')}</td>
<td class="number" data-label="attempts">${attempt}</td><td class="plain" data-label="when">${finishedAt === null ? '' : ago(finishedAt, now)}</td></tr>\n`,
  )
  return html`<section><h2>Latest failures</h2><table><thead><tr><th>job</th><th>why</th><th class="number">attempts</th><th>when</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function workerTable({ workers, now }: Status): Html {
  if (workers.length === 0)
    return html`<section><h2>Workers</h2><p>No worker has registered. Workers that pull over HTTP do not register.</p></section>`
  const rows = workers.map(
    (worker) =>
      html`<tr><td class="lead">${worker.worker}<small>${worker.host}, process ${worker.pid}</small></td><td data-label="state">${stateOf(worker)}</td>
<td class="number plain" data-label="busy">${worker.busy} of ${worker.slots}</td><td data-label="queues">${cut(worker.queues.join(', '))}</td><td class="plain" data-label="last heartbeat">${ago(worker.heartbeatAt, now)}</td></tr>\n`,
  )
  return html`<section><h2>Workers</h2><table><thead><tr><th>worker</th><th>state</th><th class="number">busy</th><th>queues</th><th>last heartbeat</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function stateOf({ alive, draining }: WorkerRow): Html {
  if (!alive) return html`<span class="mark bad">silent</span>`
  return draining ? html`<span class="mark warn">draining</span>` : html`<span class="mark good">alive</span>`
}

function formatted(count: number): string {
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
