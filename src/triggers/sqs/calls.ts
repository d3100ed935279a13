/** The calls of SQS that the bridge uses, by the AWS SDK v3. The package is loaded on connect, so that users without SQS need not install it. */
import type { BatchResultErrorEntry, SQSClient } from '@aws-sdk/client-sqs'
import { holdfastError } from '../../domain/errors/errors.js'

/** The most entries that SQS accepts in one call. */
export const BATCH_MAX = 10
/** The longest time that SQS hides a message, counted from when it was received. */
export const HIDDEN_SECONDS_MAX = 43_200

/** An entry of a batch that SQS refused. */
export interface Refusal {
  readonly index: number
  /** The entry itself is invalid: SQS would refuse it again. */
  readonly senderFault: boolean
  readonly problem: string
}

export interface Received {
  readonly messageId: string
  readonly receipt: string
  readonly body: string
}

export interface SqsCalls {
  send(url: string, bodies: readonly { body: string; group: string; once: string }[]): Promise<Refusal[]>
  receive(
    url: string,
    how: { max: number; waitSeconds: number; hiddenSeconds: number },
    signal?: AbortSignal,
  ): Promise<Received[]>
  remove(url: string, receipts: readonly string[]): Promise<Refusal[]>
  hide(url: string, messages: readonly { receipt: string; seconds: number }[]): Promise<Refusal[]>
  attributes(url: string): Promise<Readonly<Record<string, string>>>
  close(): void
}

export interface SqsPlace {
  /** Your own client. By default one is created, with the credentials that the SDK finds. */
  readonly client?: SQSClient
  /** The address of an SQS that is not Amazon's: an emulator or a gateway. */
  readonly endpoint?: string
  readonly region?: string
  /** How long one call may take, including its retries, in addition to the time that a receive waits for messages. Default: ten seconds. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000

type Sdk = typeof import('@aws-sdk/client-sqs')

export async function openSqs({
  client,
  endpoint,
  region,
  timeoutMs = TIMEOUT_MS,
}: SqsPlace): Promise<SqsCalls> {
  const sdk = await loadSdk()
  if (client !== undefined) return new AwsSqs(sdk, client, false, timeoutMs)
  const made = new sdk.SQSClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  })
  return new AwsSqs(sdk, made, true, timeoutMs)
}

class AwsSqs implements SqsCalls {
  readonly #sdk: Sdk
  readonly #client: SQSClient
  readonly #isOurs: boolean
  readonly #timeoutMs: number

  constructor(sdk: Sdk, client: SQSClient, isOurs: boolean, timeoutMs: number) {
    this.#sdk = sdk
    this.#client = client
    this.#isOurs = isOurs
    this.#timeoutMs = timeoutMs
  }

  /** The SDK has no deadline: a gateway that accepts a call and never answers would block it for ever. */
  async #inTime<T>(
    call: (options: { abortSignal: AbortSignal }) => Promise<T>,
    waitMs = 0,
    signal?: AbortSignal,
  ): Promise<T> {
    const ms = this.#timeoutMs + waitMs
    const ended = new AbortController()
    const stop = () => ended.abort(signal?.reason)
    const timer = setTimeout(
      () => ended.abort(holdfastError('deadline_exceeded', { call: 'of SQS', ms })),
      ms,
    )
    signal?.addEventListener('abort', stop, { once: true })
    const late = new Promise<never>((_resolve, reject) => {
      ended.signal.addEventListener('abort', () => reject(ended.signal.reason), { once: true })
    })
    try {
      signal?.throwIfAborted()
      return await Promise.race([call({ abortSignal: ended.signal }), late])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  async send(
    url: string,
    bodies: readonly { body: string; group: string; once: string }[],
  ): Promise<Refusal[]> {
    const fifo = url.endsWith('.fifo')
    const Entries = bodies.map(({ body, group, once }, index) => ({
      Id: String(index),
      MessageBody: body,
      // Each job is its own message group, so that a waiting job does not delay the others.
      ...(fifo ? { MessageGroupId: group, MessageDeduplicationId: once } : {}),
    }))
    const command = new this.#sdk.SendMessageBatchCommand({ QueueUrl: url, Entries })
    return refusals(await this.#inTime((options) => this.#client.send(command, options)))
  }

  async receive(
    url: string,
    { max, waitSeconds, hiddenSeconds }: { max: number; waitSeconds: number; hiddenSeconds: number },
    signal?: AbortSignal,
  ): Promise<Received[]> {
    const command = new this.#sdk.ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: Math.min(max, BATCH_MAX),
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: hiddenSeconds,
    })
    const { Messages = [] } = await this.#inTime(
      (options) => this.#client.send(command, options),
      waitSeconds * 1000,
      signal,
    )
    return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
      messageId: MessageId,
      receipt: ReceiptHandle,
      body: Body,
    }))
  }

  async remove(url: string, receipts: readonly string[]): Promise<Refusal[]> {
    const Entries = receipts.map((receipt, index) => ({ Id: String(index), ReceiptHandle: receipt }))
    const command = new this.#sdk.DeleteMessageBatchCommand({ QueueUrl: url, Entries })
    return refusals(await this.#inTime((options) => this.#client.send(command, options)))
  }

  async hide(url: string, messages: readonly { receipt: string; seconds: number }[]): Promise<Refusal[]> {
    const Entries = messages.map(({ receipt, seconds }, index) => ({
      Id: String(index),
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds,
    }))
    const command = new this.#sdk.ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries })
    return refusals(await this.#inTime((options) => this.#client.send(command, options)))
  }

  async attributes(url: string): Promise<Readonly<Record<string, string>>> {
    const command = new this.#sdk.GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] })
    return (await this.#inTime((options) => this.#client.send(command, options))).Attributes ?? {}
  }

  close(): void {
    if (this.#isOurs) this.#client.destroy()
  }
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-sqs')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw holdfastError('package_missing', { package: '@aws-sdk/client-sqs', for: 'SQS' })
  }
}

function refusals({ Failed = [] }: { Failed?: BatchResultErrorEntry[] | undefined }): Refusal[] {
  return Failed.map(({ Id, SenderFault = false, Code = 'unknown', Message }) => ({
    index: Number(Id),
    senderFault: SenderFault,
    problem: Message === undefined ? Code : `${Code}: ${Message}`,
  }))
}
