/** A client of a Holdfast server, for every program that has `fetch`: a service without a database, an edge function, a browser. */
export {
  Client,
  type ClientOptions,
  createClient,
  type JobFilter,
  type JobPage,
  type RemoteEnqueueManyOptions,
  type RemoteEnqueueOptions,
  type RemoteJobExtras,
} from './client/client.js'
export type { Definitions, JobDefinition } from './client/definitions.js'
export type { RemoteJob, RemoteRow } from './client/remote-job.js'
export type {
  Jobs,
  Queues,
  RemoteQueue,
  RemoteTarget,
  RemoteWorker,
  Why,
  Workers,
} from './client/steering.js'
export type { TransportOptions } from './client/transport.js'
export type { WaitOptions } from './domain/awaited-ends.js'
export { type ErrorCode, HoldfastError } from './domain/errors.js'
export { JobCanceled, JobFailed } from './domain/job-ended.js'
