/** Counts messages by what happened to them. Every received message is in exactly one of the counts of `MESSAGE_OUTCOMES`, or still held. */

/** Each outcome with its reason. */
export const MESSAGE_OUTCOMES = {
  claimed: 'its job was claimed, and the message deleted when the attempt had ended',
  duplicate: 'its job was running already, here or elsewhere',
  late: 'its job had ended',
  early: 'its job is not due; when it is, another message says so',
  blocked: 'its job is set aside; when it is let go, another message says so',
  deferred:
    'its job could not be started now (a limit, a paused queue); it is announced again a little later',
  unknown: 'there is no such job',
  unrecognized: 'it is not a message of ours; left where it is',
  otherQueue: 'its job is of a queue this worker does not serve; left for those who do',
  returned: 'given back at a shutdown, before its job was claimed',
} as const

export type MessageOutcome = keyof typeof MESSAGE_OUTCOMES

const OTHERS = {
  /** Messages sent, and how many of them were repeated because the job was not claimed after the first. */
  sent: 0,
  resent: 0,
  /** Messages for jobs that failed for good, sent to the dead-letter queue. */
  deadLettered: 0,
  /** Entries and calls that SQS refused; each is sent again. */
  sendFailures: 0,
  /** Rows of the outbox that no longer needed a message. */
  obsolete: 0,
  /** Claimable jobs that were missing in the outbox. */
  backfilled: 0,
  received: 0,
  receiveFailures: 0,
  deleted: 0,
  deleteFailures: 0,
  extended: 0,
  extendFailures: 0,
  /** Claimed messages whose job was lost to this worker before it ended. */
  lost: 0,
  /** Jobs found by claiming as usual: their message was late, or lost. */
  polled: 0,
  /** How often the dead letters were compared with the jobs, and how often that failed. */
  reconciled: 0,
  reconcileFailures: 0,
  /** Dead letters whose jobs can run: announced again. */
  redriven: 0,
  /** Other dead letters that were removed: their jobs need nothing, are gone, or have another one. */
  cleared: 0,
  /** Failed jobs that had no dead letter and got one. */
  deadLettersAdded: 0,
}

export type CountName = MessageOutcome | keyof typeof OTHERS
export type SqsCounts = Readonly<Record<CountName, number>>

export class Counts {
  readonly #counts = {
    ...OTHERS,
    ...Object.fromEntries(Object.keys(MESSAGE_OUTCOMES).map((name) => [name, 0])),
  } as Record<CountName, number>

  add(name: CountName, by = 1): void {
    this.#counts[name] += by
  }

  read(): SqsCounts {
    return { ...this.#counts }
  }
}
