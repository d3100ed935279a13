/** SQS as far as we use it, on the AWS SDK v3. The package is loaded when somebody connects, so that nobody else needs it. */
import type { BatchResultErrorEntry, SQSClient } from '@aws-sdk/client-sqs'
import { holdfastError } from '../../domain/errors.js'

/** SQS takes no more in one call. */
export const BATCH_MOST = 10
/** Nor hides a message longer than this, counted from when it was received. */
export const HIDDEN_SECONDS_MOST = 43_200

/** One entry of a batch that SQS did not take. */
export interface Refusal {
  readonly index: number
  /** Ours: the same again would be refused again. */
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
    how: { most: number; waitSeconds: number; hiddenSeconds: number },
    signal?: AbortSignal,
  ): Promise<Received[]>
  remove(url: string, receipts: readonly string[]): Promise<Refusal[]>
  hide(url: string, messages: readonly { receipt: string; seconds: number }[]): Promise<Refusal[]>
  attributes(url: string): Promise<Readonly<Record<string, string>>>
  close(): void
}

export interface SqsPlace {
  /** A client of yours; otherwise one is made, with credentials from where the SDK looks for them. */
  readonly client?: SQSClient
  /** Where SQS is, if it is not Amazon's: an emulator, a gateway. */
  readonly endpoint?: string
  readonly region?: string
}

export async function openSqs({ client: given, endpoint, region }: SqsPlace): Promise<SqsCalls> {
  const sdk = await loadSdk()
  const client =
    given ??
    new sdk.SQSClient({
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
    })
  return {
    async send(url, bodies) {
      const fifo = url.endsWith('.fifo')
      const Entries = bodies.map(({ body, group, once }, index) => ({
        Id: String(index),
        MessageBody: body,
        // Each job is a group of its own: one that waits must not hold up the others.
        ...(fifo ? { MessageGroupId: group, MessageDeduplicationId: once } : {}),
      }))
      return refusals(await client.send(new sdk.SendMessageBatchCommand({ QueueUrl: url, Entries })))
    },
    async receive(url, { most, waitSeconds, hiddenSeconds }, signal) {
      const ask = new sdk.ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(most, BATCH_MOST),
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: hiddenSeconds,
      })
      const { Messages = [] } = await client.send(ask, signal === undefined ? {} : { abortSignal: signal })
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
        messageId: MessageId,
        receipt: ReceiptHandle,
        body: Body,
      }))
    },
    async remove(url, receipts) {
      const Entries = receipts.map((receipt, index) => ({ Id: String(index), ReceiptHandle: receipt }))
      return refusals(await client.send(new sdk.DeleteMessageBatchCommand({ QueueUrl: url, Entries })))
    },
    async hide(url, messages) {
      const Entries = messages.map(({ receipt, seconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receipt,
        VisibilityTimeout: seconds,
      }))
      return refusals(
        await client.send(new sdk.ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries })),
      )
    },
    async attributes(url) {
      const ask = new sdk.GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] })
      return (await client.send(ask)).Attributes ?? {}
    },
    close() {
      if (given === undefined) client.destroy()
    },
  }
}

async function loadSdk(): Promise<typeof import('@aws-sdk/client-sqs')> {
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
