/** Every page of the dashboard. Overview and Jobs are in the first bundle; the others are loaded when they are opened. */
import type { ComponentType } from 'preact'
import type { PageName } from '../state/url.js'
import { JobsPage } from './jobs/jobs.jsx'
import { OverviewPage } from './overview/overview.jsx'

interface PageEntry {
  readonly label: string
  readonly load: () => ComponentType | Promise<ComponentType>
  /** The entry of the navigation that is lit; default: its own. */
  readonly under?: PageName
}

export const PAGE_TABLE: Readonly<Record<PageName, PageEntry>> = {
  overview: { label: 'Overview', load: () => OverviewPage },
  jobs: { label: 'Jobs', load: () => JobsPage },
  job: { label: 'Job', under: 'jobs', load: () => import('./job/job.jsx').then((m) => m.JobPage) },
  errors: { label: 'Errors', load: () => import('./errors/errors.jsx').then((m) => m.ErrorsPage) },
  error: {
    label: 'Error',
    under: 'errors',
    load: () => import('./errors/error.jsx').then((m) => m.ErrorPage),
  },
  kinds: { label: 'Kinds', load: () => import('./kinds/kinds.jsx').then((m) => m.KindsPage) },
  kind: { label: 'Kind', under: 'kinds', load: () => import('./kinds/kind.jsx').then((m) => m.KindPage) },
  queues: { label: 'Queues', load: () => import('./queues/queues.jsx').then((m) => m.QueuesPage) },
  queue: {
    label: 'Queue',
    under: 'queues',
    load: () => import('./queues/queue.jsx').then((m) => m.QueuePage),
  },
  targets: { label: 'Targets', load: () => import('./targets/targets.jsx').then((m) => m.TargetsPage) },
  schedules: {
    label: 'Schedules',
    load: () => import('./schedules/schedules.jsx').then((m) => m.SchedulesPage),
  },
  schedule: {
    label: 'Schedule',
    under: 'schedules',
    load: () => import('./schedules/schedule.jsx').then((m) => m.SchedulePage),
  },
  workers: { label: 'Workers', load: () => import('./workers/workers.jsx').then((m) => m.WorkersPage) },
  worker: {
    label: 'Worker',
    under: 'workers',
    load: () => import('./workers/worker.jsx').then((m) => m.WorkerPage),
  },
  doctor: { label: 'Doctor', load: () => import('./doctor/doctor.jsx').then((m) => m.DoctorPage) },
  alerts: { label: 'Alerts', load: () => import('./alerts/alerts.jsx').then((m) => m.AlertsPage) },
  audit: { label: 'Audit', load: () => import('./audit/audit.jsx').then((m) => m.AuditPage) },
  settings: { label: 'Settings', load: () => import('./settings/settings.jsx').then((m) => m.SettingsPage) },
}

/** The navigation: work, machinery, care. */
export const NAV: readonly { readonly label: string; readonly pages: readonly PageName[] }[] = [
  { label: 'Work', pages: ['overview', 'jobs', 'errors', 'kinds'] },
  { label: 'Machinery', pages: ['queues', 'targets', 'schedules', 'workers'] },
  { label: 'Care', pages: ['doctor', 'alerts', 'audit', 'settings'] },
]
