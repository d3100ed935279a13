/** SQS as a trigger of jobs. Needs the package @aws-sdk/client-sqs beside this one. */
export type { Trigger } from './store/triggers/trigger.js'
export type { OutboxDepth } from './store/triggers/triggers.js'
export {
  connectSqs,
  SQS_LIMITS,
  type SqsBridge,
  type SqsDepth,
  type SqsOptions,
  type SqsStatus,
} from './triggers/sqs/connect.js'
export { MESSAGE_OUTCOMES, type MessageOutcome, type SqsCounts } from './triggers/sqs/counts.js'
export type { Reconciled, Redriven, RedriveOptions } from './triggers/sqs/dead-letters.js'
