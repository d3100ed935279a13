// Every call of SQS has a deadline, whatever is at the other end.
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { openSqs } from '../../src/triggers/sqs/calls.js'

/** Takes every call and answers none. */
async function silentEndpoint(): Promise<string> {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

it('6.13 every call of SQS has a deadline', async () => {
  const endpoint = await silentEndpoint()
  process.env.AWS_ACCESS_KEY_ID ??= 'test'
  process.env.AWS_SECRET_ACCESS_KEY ??= 'test'
  const sqs = await openSqs({ endpoint, region: 'eu-central-1', timeoutMs: 200 })
  onTestFinished(() => sqs.close())
  const url = `${endpoint}/000000000000/jobs`
  const calls = {
    send: sqs.send(url, [{ body: 'x', group: 'g', once: 'o' }]),
    receive: sqs.receive(url, { max: 1, waitSeconds: 0, hiddenSeconds: 30 }),
    remove: sqs.remove(url, ['receipt']),
    hide: sqs.hide(url, [{ receipt: 'receipt', seconds: 30 }]),
    attributes: sqs.attributes(url),
  }
  const ended = await Promise.allSettled(Object.values(calls))
  expect(ended).toEqual(
    ended.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'deadline_exceeded' }) })),
  )
})
