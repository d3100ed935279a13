/** The columns of each table: queues, jobs, workers, blocked targets, alerts, attempts. */
import type { Alert } from '../../store/alerts/alerts.js'
import { type BlockedTarget, COUNT_MAX, type CountedPlace, type ListedJob } from '../../store/list/listing.js'
import type { ShownAttempt, ShownWorker } from '../console/console.js'
import { whyOf } from '../jobs/list.js'
import { ranFor } from '../jobs/show.js'
import { stateOf } from '../queues/workers.js'
import { ago, stateAndStatus } from '../terminal/format.js'
import type { Style } from './line.js'
import type { TopQueue } from './snapshot.js'
import type { TopColumn } from './table.js'

/** 12s, 3m, 2h, 4d: a column of durations is read at a glance, so each has one unit. */
export function brief(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

const since = (time: Date | null, now: Date): string =>
  time === null ? '' : brief(now.getTime() - time.getTime())

/** Few per minute with a decimal, many without. */
export function rate(perMinute: number): string {
  if (perMinute === 0) return '0'
  if (perMinute < 0.05) return '<0.1'
  return perMinute < 99.95 ? perMinute.toFixed(1) : Math.round(perMinute).toLocaleString('en-US')
}

const STATE_STYLES: Readonly<Record<string, Style>> = {
  ...{ succeeded: 'green', failed: 'red', errored: 'red' },
  ...{ retrying: 'yellow', paused: 'yellow', parked: 'yellow', lost: 'yellow', canceled: 'yellow' },
}

export function styleOfState(state: string): Style {
  return STATE_STYLES[state] ?? 'plain'
}

const place = (name: CountedPlace, title: string = name): TopColumn<TopQueue> => ({
  title,
  value: (queue) => (queue.capped.includes(name) ? `${queue[name]}+` : String(queue[name])),
  right: true,
  style: (queue) => (queue[name] === 0 ? 'dim' : name === 'blocked' ? 'red' : 'plain'),
})

export function queueColumns(now: Date): TopColumn<TopQueue>[] {
  return [
    { title: 'Queues', value: ({ name }) => name, shrinks: true },
    place('queued', 'ready'),
    { title: 'oldest', value: ({ oldestReadyAt }) => since(oldestReadyAt, now) || '-', right: true },
    place('running'),
    { ...place('delayed'), fromWidth: 72 },
    { ...place('waiting'), fromWidth: 100 },
    { ...place('blocked'), fromWidth: 100 },
    { title: '/min', value: ({ perMinute }) => rate(perMinute), right: true },
    {
      title: 'failed',
      value: ({ failedRate }) => (failedRate === null ? '-' : `${Math.round(failedRate * 100)}%`),
      right: true,
      style: ({ failedRate }) => ((failedRate ?? 0) > 0 ? 'red' : 'dim'),
    },
    {
      title: 'workers',
      value: ({ workers }) => String(workers),
      right: true,
      style: ({ workers, queued }) => (workers === 0 && queued > 0 ? 'red' : 'plain'),
    },
    { title: '', value: ({ pausedAt }) => (pausedAt === null ? '' : 'paused'), style: () => 'yellow' },
    { title: 'why', value: whyPaused, fromWidth: 120, style: () => 'dim' },
  ]
}

function whyPaused({ pausedBy, pauseReason }: TopQueue): string {
  const by = pausedBy === null ? '' : `by ${pausedBy}`
  return [by, pauseReason ?? ''].filter(Boolean).join(': ')
}

export function jobColumns(now: Date): TopColumn<ListedJob>[] {
  return [
    { title: 'Jobs', value: ({ id }) => String(id), right: true },
    { title: 'state', value: ({ state }) => state, style: ({ state }) => styleOfState(state) },
    { title: 'status', value: ({ state, status }) => (state === status ? '' : status), fromWidth: 100 },
    { title: 'queue', value: ({ queue }) => queue },
    { title: 'kind', value: ({ kind }) => kind },
    {
      title: 'try',
      value: ({ attempt, maxRetries }) => (attempt > 0 ? `${attempt}/${maxRetries + 1}` : ''),
      right: true,
    },
    { title: 'age', value: ({ createdAt }) => since(createdAt, now), right: true },
    { title: 'note', value: noteOf, shrinks: true, style: () => 'dim' },
  ]
}

/** When it is due, who has it, or what went wrong. */
function noteOf(job: ListedJob): string {
  const { state, leaseOwner, visibleAt, finishedAt, target, priority } = job
  const why = whyOf(job) ?? ''
  if (state === 'scheduled' || state === 'retrying')
    return [`due ${ago(visibleAt)}`, why].filter(Boolean).join(': ')
  if (leaseOwner !== null) return `on ${leaseOwner}`
  if (finishedAt !== null) return why
  const facts = [priority > 0 ? `priority ${priority}` : '', target === null ? '' : `target ${target}`]
  return [...facts, why].filter(Boolean).join(', ')
}

const WORKER_STYLES = { working: 'green', idle: 'green', draining: 'yellow', silent: 'red' } as const

export function workerColumns(now: Date): TopColumn<ShownWorker>[] {
  return [
    { title: 'Workers', value: ({ worker }) => worker },
    { title: 'is', value: stateOf, style: (worker) => WORKER_STYLES[stateOf(worker)] },
    { title: 'busy', value: ({ busy, slots }) => `${busy}/${slots}`, right: true },
    { title: 'lag', value: ({ lagMs }) => `${Math.round(lagMs)}ms`, right: true },
    { title: 'heartbeat', value: ({ heartbeatAt }) => since(heartbeatAt, now), right: true },
    { title: 'version', value: ({ appVersion }) => appVersion ?? '', fromWidth: 100 },
    { title: 'queues', value: ({ queues }) => queues.join(' '), shrinks: true, style: () => 'dim' },
  ]
}

export function targetColumns(): TopColumn<BlockedTarget>[] {
  return [
    { title: 'Blocked targets', value: ({ target }) => target },
    { title: 'queue', value: ({ queue }) => queue, fromWidth: 72 },
    { title: 'job', value: ({ jobId }) => String(jobId), right: true },
    { title: 'state', value: stateAndStatus, style: ({ state }) => styleOfState(state) },
    { title: 'for', value: ({ blockedMs }) => brief(blockedMs), right: true },
    {
      title: 'behind',
      value: ({ behind }) => (behind >= COUNT_MAX ? `${behind}+` : String(behind)),
      right: true,
    },
    {
      title: 'cause',
      value: ({ reason, lastError }) => lastError ?? reason ?? '',
      shrinks: true,
      style: () => 'dim',
    },
  ]
}

const ALERT_STYLES = { firing: 'red', pending: 'yellow', cleared: 'green' } as const

export function alertColumns(now: Date): TopColumn<Alert>[] {
  return [
    { title: 'Alerts', value: ({ id }) => String(id), right: true },
    { title: 'is', value: ({ state }) => state, style: ({ state }) => ALERT_STYLES[state] },
    { title: 'for', value: ({ since: time }) => since(time, now), right: true },
    { title: 'what', value: ({ summary }) => summary, shrinks: true },
    {
      title: '',
      value: ({ silencedUntil }) => (silencedUntil !== null && silencedUntil > now ? 'silenced' : ''),
      style: () => 'dim',
    },
  ]
}

export function attemptColumns(now: Date): TopColumn<ShownAttempt>[] {
  return [
    { title: 'Attempts', value: ({ attempt }) => String(attempt), right: true },
    { title: 'outcome', value: ({ outcome }) => outcome, style: ({ outcome }) => styleOfState(outcome) },
    { title: 'ended', value: ({ finishedAt }) => `${since(finishedAt, now)} ago`, right: true },
    { title: 'ran', value: ranFor, right: true },
    { title: 'worker', value: ({ worker }) => worker ?? '', fromWidth: 100 },
    {
      title: 'note',
      value: ({ errorMessage, reason }) => errorMessage ?? reason ?? '',
      shrinks: true,
      style: () => 'dim',
    },
  ]
}
