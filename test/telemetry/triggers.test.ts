import { workerMetrics } from 'holdfast/metrics'
import { expect, it } from 'vitest'
import { readExposition, samplesOf } from '../support/exposition.js'

it('what triggers count is told by their names: those of one name together, one that joins twice once, and each as it grows', async () => {
  const metrics = workerMetrics()
  const counts = { sent: 1, deferred: 0 }
  const trigger = (name: string) => ({ name, counts: () => counts })
  const [first, second, other] = [trigger('sqs'), trigger('sqs'), trigger('mail')]
  for (const each of [first, first, second, other]) metrics.joinTrigger(each)
  const told = async () =>
    samplesOf(readExposition(await metrics.text()), 'holdfast_sqs_messages_total').map(
      ({ labels, value }) => [labels.trigger, labels.reason, value],
    )
  expect(await told()).toEqual([
    ['sqs', 'sent', 2],
    ['sqs', 'deferred', 0],
    ['mail', 'sent', 1],
    ['mail', 'deferred', 0],
  ])
  counts.sent = 3
  expect(await told()).toContainEqual(['sqs', 'sent', 6])
})
