/** What became of the messages of a process, without what did not happen. */
import type { SqsBridge } from 'holdfast/sqs'

export function countsOf(sqs: SqsBridge): Record<string, number> {
  return Object.fromEntries(Object.entries(sqs.counts()).filter(([, count]) => count > 0))
}
