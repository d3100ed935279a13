/** A request for every route that takes something: what the tests send that go through all of them. A new route needs a line here. */
import type { Route } from 'holdfast/server'

/** What the requests are about. */
export interface Subject {
  readonly jobId: number
  readonly queue: string
  readonly worker: string
  readonly keyId: number
  readonly alertId: number
  readonly webhookId: number
  /** Of a queue of the preset crawl, so that the endpoints of that preset know it. */
  readonly schedule: string
  readonly scheduleId: number
  readonly subjectId: number
  readonly bulkId: number
  readonly viewId: number
}

/** Of no tenant. */
export const NOBODYS: Subject = {
  jobId: 999_999,
  queue: 'nowhere',
  worker: 'nobody',
  keyId: 999_999,
  alertId: 999_999,
  webhookId: 999_999,
  schedule: 'nobodys',
  scheduleId: 999_999,
  subjectId: 999_999,
  bulkId: 999_999,
  viewId: 999_999,
}

export interface Sample {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: string
  readonly body?: unknown
}

const ofJob = ({ jobId: id }: Subject): Sample => ({ params: { id } })
const ofQueue = ({ queue: name }: Subject): Sample => ({ params: { name } })
const ofSchedule = ({ schedule: name }: Subject): Sample => ({ params: { name } })
const ofScheduled = ({ scheduleId: id }: Subject): Sample => ({ params: { id } })
const ofSubject = ({ subjectId: id }: Subject): Sample => ({ params: { id } })
const ofKey = ({ keyId: id }: Subject): Sample => ({ params: { id } })

const ofAlert = ({ alertId: id }: Subject): Sample => ({ params: { id } })
const ofBulk = ({ bulkId: id }: Subject): Sample => ({ params: { id } })
const ofView = ({ viewId: id }: Subject): Sample => ({ params: { id } })
const ofWebhook = ({ webhookId: id }: Subject): Sample => ({ params: { id } })

const fenceOf = ({ jobId }: Subject) => ({ job_id: jobId, attempt: 1, lease: 1 })
const ofReport = ({ jobId: job_id }: Subject): Sample => ({ body: { job_id, lease_token: '1.1' } })
const ofTarget = ({ jobId: job_id }: Subject): Sample => ({ params: { target_id: 'same', job_id } })

export const SAMPLES: Readonly<Record<string, (subject: Subject) => Sample>> = {
  createJob: () => ({ body: { queue: 'made', kind: 'k' } }),
  createJobs: () => ({ body: { jobs: [{ queue: 'made', kind: 'k' }] } }),
  lookUpJobs: ({ jobId }) => ({ body: { job_ids: [jobId] } }),
  searchJobs: () => ({ query: 'q=state:failed' }),
  searchFacets: () => ({ query: 'q=state:failed' }),
  suggestValues: () => ({ query: 'field=queue' }),
  exportJobs: () => ({ query: 'q=state:failed&format=ndjson' }),
  getJob: ofJob,
  listAttempts: ofJob,
  listJobEvents: ofJob,
  explainJob: ofJob,
  relatedJobs: ofJob,
  jobHistory: ofJob,
  cancelJob: ofJob,
  retryJob: ofJob,
  resumeJob: ofJob,
  skipJob: ofJob,
  discardJob: ofJob,
  publishJob: ofJob,
  boostJob: ofJob,
  setPriority: ({ jobId: id }) => ({ params: { id }, body: { priority: 7 } }),
  cloneJob: ofJob,
  commandJobs: ({ jobId }) => ({ body: { command: 'cancel', job_ids: [jobId] } }),
  previewBulk: () => ({ body: { command: 'retry', q: 'state:failed' } }),
  startBulk: () => ({ body: { command: 'boost', q: 'state:waiting', by: 5 } }),
  getBulk: ofBulk,
  listBulkResults: ofBulk,
  abortBulk: ofBulk,
  createSavedView: () => ({ body: { name: 'mine', q: 'state:failed' } }),
  changeSavedView: (subject) => ({ ...ofView(subject), body: { q: 'state:queued' } }),
  removeSavedView: ofView,
  awaitEnds: ({ jobId }) => ({ body: { job_ids: [jobId] } }),
  workTerms: ({ queue }) => ({ body: { queues: [queue] } }),
  declareKinds: () => ({ body: { kinds: [{ kind: 'declared', queue: 'made', max_retries: 1 }] } }),
  openLease: () => ({ body: { worker: 'w', lease_ms: 1_000 } }),
  claimJobs: ({ queue }) => ({ body: { worker: 'w', queues: [queue] } }),
  claimJob: ({ jobId: id }) => ({ params: { id }, body: { worker: 'w' } }),
  waitForWork: ({ queue }) => ({ body: { queues: [queue], wait_ms: 0 } }),
  renewLeases: () => ({ body: { leases: [1] } }),
  startJobs: (subject) => ({ body: { jobs: [fenceOf(subject)] } }),
  reportWork: (subject) => ({ body: { ...fenceOf(subject), items: [1] } }),
  logWork: (subject) => ({ body: { jobs: [{ ...fenceOf(subject), text: 'a line' }] } }),
  finishJobs: (subject) => ({ body: { jobs: [{ ...fenceOf(subject), outcome: 'succeeded' }] } }),
  releaseUnlisted: () => ({ body: { lease: 1, jobs: [], older_than_ms: 0 } }),
  closeLease: () => ({ body: { lease: 1 } }),
  heartbeat: ({ queue }) => ({
    body: { worker: 'w', host: 'h', pid: 1, version: '1', kinds: [], queues: [queue], slots: 1, busy: 0 },
  }),
  removeWorker: ({ worker }) => ({ body: { worker } }),
  unparkJobs: ({ queue }) => ({ body: { queues: [queue], kinds: ['k'] } }),
  recordScale: ({ worker }) => ({ body: { worker, group: 'g', from: 1, to: 2, depth: 3, reason: 'depth' } }),
  depth: ({ queue }) => ({ body: { queues: [queue] } }),
  depthByKind: ({ queue }) => ({ body: { queues: [queue] } }),
  createQueue: () => ({ body: { name: 'new' } }),
  getQueue: ofQueue,
  queueState: ofQueue,
  setPolicy: ({ queue: name }) => ({ params: { name }, body: { policy: { max_retries: 9 } } }),
  renameQueue: ({ queue: name }) => ({ params: { name }, body: { to: 'renamed' } }),
  removeQueue: ofQueue,
  pauseQueue: ofQueue,
  resumeQueue: ofQueue,
  listBlockedTargets: ({ queue }) => ({ query: `queue=${queue}` }),
  createSchedule: () => ({ body: { name: 'new', kind: 'k', expression: '@daily' } }),
  getSchedule: ofSchedule,
  updateSchedule: ({ schedule: name }) => ({ params: { name }, body: { priority: 7 } }),
  removeSchedule: ofSchedule,
  resetSchedule: ofSchedule,
  pauseSchedule: ofSchedule,
  resumeSchedule: ofSchedule,
  runSchedule: ofSchedule,
  previewSchedule: ofSchedule,
  scheduleHistory: ofSchedule,
  explainSchedule: ofSchedule,
  previewExpression: () => ({ query: 'expression=@daily' }),
  createScheduledJob: () => ({ body: { name: 'scheduled', cron_expression: '@daily' } }),
  getScheduledJob: ofScheduled,
  updateScheduledJob: ({ scheduleId: id }) => ({ params: { id }, body: { priority: 7 } }),
  deleteScheduledJob: ofScheduled,
  toggleScheduledJob: ofScheduled,
  drainWorker: ({ worker: name }) => ({ params: { name } }),
  listItems: ({ jobId }) => ({ query: `job_id=${jobId}` }),
  exportItems: ({ jobId }) => ({ query: `job_id=${jobId}` }),
  getSetting: () => ({ params: { name: 'AGE_STEP' } }),
  setSetting: () => ({ params: { name: 'AGE_STEP' }, body: { value: 5 } }),
  resetSetting: () => ({ params: { name: 'AGE_STEP' } }),
  listSubjects: ({ queue }) => ({ query: `queue=${queue}` }),
  addSubject: ({ queue }) => ({ body: { queue, name: 'r/rust', kind: 'crawl' } }),
  getSubject: ofSubject,
  setSubject: ({ subjectId: id }) => ({ params: { id }, body: { enabled: false } }),
  removeSubject: ofSubject,
  queueMetrics: ({ queue }) => ({ query: `queue=${queue}` }),
  statsSeries: ({ queue }) => ({ query: `queue=${queue}&span=24h` }),
  scaleSeries: () => ({ query: 'span=7d' }),
  getKind: () => ({ params: { kind: 'k' } }),
  listErrors: ({ queue }) => ({ query: `queue=${queue}` }),
  getError: () => ({ params: { fingerprint: 'none' } }),
  getWorker: ({ worker: name }) => ({ params: { name } }),
  runChore: () => ({ params: { name: 'age' } }),
  setTenantLimits: () => ({ params: { name: 'acme' }, body: { max_running: 5 } }),
  createKey: () => ({ body: { name: 'another', scopes: ['read'] } }),
  getKey: ofKey,
  rotateKey: ofKey,
  revokeKey: ofKey,
  setAlertRule: () => ({ params: { rule: 'depth' }, body: { threshold: 5 } }),
  getAlert: ofAlert,
  getAlertHistory: ofAlert,
  silenceAlert: ({ alertId: id }) => ({ params: { id }, body: { for_ms: 1_000 } }),
  unsilenceAlert: ofAlert,
  addWebhook: () => ({ body: { name: 'another', url: 'https://example.com/' } }),
  getWebhook: ofWebhook,
  enableWebhook: ({ webhookId: id }) => ({ params: { id }, body: { enabled: false } }),
  removeWebhook: ofWebhook,
  testWebhook: ofWebhook,
  listDeliveries: ofWebhook,
  reportResults: ofReport,
  reportResultsPhp: ofReport,
  crawlStatus: ({ jobId: id }) => ({ params: { id }, body: { status: 'failed' } }),
  crawlPriority: ({ jobId: id }) => ({ params: { id }, body: { priority: 7 } }),
  crawlBoost: ({ jobId: id }) => ({ params: { id }, body: { boost: 7 } }),
  crawlRetry: ofJob,
  crawlBulkStatus: ({ jobId }) => ({ body: { job_ids: [jobId], status: 'failed' } }),
  crawlBulkRetry: ({ jobId }) => ({ body: { job_ids: [jobId] } }),
  resumeAtTarget: ofTarget,
  resumeAtTargetPlain: ofTarget,
  resumeById: ofJob,
  resumeByIdSlash: ofJob,
  signIn: () => ({ body: { key: 'hf_wrong' } }),
  dashboardAsset: () => ({ params: { file: 'none.js' } }),
  events: () => ({ query: 'for_sec=0' }),
}

/** The address with its parameters, and the body. */
export function requestOf({ name, endpoint }: Route, subject: Subject): { url: string; body?: unknown } {
  const sample = SAMPLES[name]?.(subject)
  const takes =
    endpoint.params !== undefined ||
    (endpoint.body !== undefined && !endpoint.body.safeParse(undefined).success)
  if (takes && sample === undefined) throw new Error(`test/server/samples.ts has no request for ${name}`)
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_all, param: string) => String(sample?.params?.[param]))
  const url = sample?.query === undefined ? path : `${path}?${sample.query}`
  return sample?.body === undefined ? { url } : { url, body: sample.body }
}
