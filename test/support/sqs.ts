/** A real SQS over HTTP, in this process, with a queue and its dead-letter queue. It can be lost and come back empty at the same address. */
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { onTestFinished } from 'vitest'

/** Any credentials will do; without them the SDK looks around on this machine. It also tells every process how old its Node is. */
export const AWS_ENV = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
}

export interface Emulator {
  readonly endpoint: string
  readonly client: SQSClient
  readonly queueUrl: string
  readonly deadLetterUrl: string
  /** Another queue of the same emulator. */
  queue(name: string): string
  send(url: string, body: string): Promise<void>
  /** Takes out everything that is visible. */
  takeAll(url: string): Promise<string[]>
  /** Receives what is there so often, and never deletes it; then asks once more, which is when SQS sets it aside. */
  giveUpOn(url: string, times: number): Promise<void>
  /** What is in a queue, without touching it. */
  bodies(name: string): { ready: string[]; inFlight: string[] }
  hiddenSeconds(name: string): number[]
  counts(url: string): Promise<{ visible: number; inFlight: number }>
  /** Nobody answers any more, and everything in it is lost. */
  down(): Promise<void>
  /** Back, and empty. */
  up(): Promise<void>
}

export async function sqsEmulator({ maxReceiveCount = 1000 } = {}): Promise<Emulator> {
  const names = new Set(['jobs', 'jobs-dead'])
  let server = await startFauxqs({ port: 0, logger: false })
  const { port } = server
  const make = (name: string) => {
    const attributes = attributesOf(name, maxReceiveCount)
    server.createQueue(name, { attributes })
  }
  const fill = () => {
    for (const name of [...names].reverse()) make(name)
  }
  fill()
  const endpoint = `http://127.0.0.1:${port}`
  Object.assign(process.env, AWS_ENV)
  const client = new SQSClient({ endpoint })
  // As the emulator names them; that host need not exist.
  const urlOf = (name: string) => `http://sqs.us-east-1.localhost:${port}/000000000000/${name}`
  let isUp = true
  const down = async () => {
    if (!isUp) return
    isUp = false
    await server.stop()
  }
  onTestFinished(async () => {
    client.destroy()
    await down()
  })
  const inspect = (name: string) => (server as FauxqsServer).inspectQueue(name)?.messages
  return {
    endpoint,
    client,
    queueUrl: urlOf('jobs'),
    deadLetterUrl: urlOf('jobs-dead'),
    queue(name) {
      names.add(name)
      make(name)
      return urlOf(name)
    },
    async send(url, body) {
      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }))
    },
    takeAll: (url) => takeAll(client, url),
    async giveUpOn(url, times) {
      const ask = { QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0, WaitTimeSeconds: 0 }
      for (let n = 0; n <= times; n++) await client.send(new ReceiveMessageCommand(ask))
    },
    bodies: (name) => ({
      ready: inspect(name)?.ready.map(({ body }) => body) ?? [],
      inFlight: inspect(name)?.inflight.map(({ message }) => message.body) ?? [],
    }),
    hiddenSeconds: (name) =>
      inspect(name)?.inflight.map(({ visibilityDeadline }) => (visibilityDeadline - Date.now()) / 1000) ?? [],
    async counts(url) {
      const ask = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] })
      const { Attributes = {} } = await client.send(ask)
      return {
        visible: Number(Attributes.ApproximateNumberOfMessages),
        inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
      }
    },
    down,
    async up() {
      server = await startFauxqs({ port, logger: false })
      isUp = true
      fill()
    },
  }
}

function attributesOf(name: string, maxReceiveCount: number): Record<string, string> {
  if (name.endsWith('.fifo')) return { FifoQueue: 'true' }
  if (name !== 'jobs') return {}
  const deadLetterTargetArn = 'arn:aws:sqs:us-east-1:000000000000:jobs-dead'
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }) }
}

async function takeAll(client: SQSClient, url: string): Promise<string[]> {
  const taken: string[] = []
  for (;;) {
    const ask = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 })
    const { Messages = [] } = await client.send(ask)
    if (Messages.length === 0) return taken
    for (const { Body = '', ReceiptHandle } of Messages) {
      taken.push(Body)
      await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }))
    }
  }
}
