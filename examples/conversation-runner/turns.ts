/** A conversation is a target: its turns are jobs that run one after the other, each with the turns before it as context. */
import { defineJob } from 'holdfast'
import type { Session } from 'holdfast/store'
import { z } from 'zod'
import { complete, type Message } from './model.js'

export const QUEUE = 'conversations'

/** How many turns of each tenant may run at once. */
export const TENANTS: Readonly<Record<string, number>> = { acme: 1, bolt: 3 }

/** A turn asks the model three times. */
const STEPS = ['Plan the answer.', 'Draft the answer.', 'Answer.'] as const

export interface TranscriptRow {
  readonly tenant: string
  readonly conversation: string
  readonly turn: number
  readonly prompt: string
  readonly reply: string
}

/** The table that the turns write, beside the tables of Holdfast and in the same database. */
export class Transcript {
  readonly #table: string
  readonly #schema: string

  constructor(schema: string) {
    this.#schema = `"${schema}_data"`
    this.#table = `${this.#schema}.transcript`
  }

  async create(session: Session, { keep }: { readonly keep: boolean }): Promise<void> {
    if (!keep) await session.script(`drop schema if exists ${this.#schema} cascade`)
    await session.script(
      `create schema if not exists ${this.#schema};
       create table if not exists ${this.#table} (tenant text, conversation text, turn int, prompt text not null, reply text not null,
         primary key (tenant, conversation, turn))`,
    )
  }

  async write(session: Session, row: TranscriptRow): Promise<void> {
    await session.query(`insert into ${this.#table} values ($1, $2, $3, $4, $5)`, [
      row.tenant,
      row.conversation,
      row.turn,
      row.prompt,
      row.reply,
    ])
  }

  of(session: Session, { tenant, conversation }: Pick<TranscriptRow, 'tenant' | 'conversation'>) {
    return session.query<TranscriptRow>(
      `select * from ${this.#table} where tenant = $1 and conversation = $2 order by turn`,
      [tenant, conversation],
    )
  }
}

interface TurnNeeds {
  readonly modelUrl: string
  readonly transcript: Transcript
  /** Where turns before this one are read; known once the app is open. */
  session(): Session
  /** Called when a turn is written. */
  ended?(what: string): void
}

export function turnJob({ modelUrl, transcript, session, ended }: TurnNeeds) {
  return defineJob({
    kind: 'turn',
    queue: QUEUE,
    input: z.object({ tenant: z.string(), conversation: z.string(), turn: z.number(), prompt: z.string() }),
    target: '{conversation}',
    async handler(ctx, input) {
      const messages: Message[] = (await transcript.of(session(), input)).flatMap((row) => [
        { role: 'user', content: row.prompt },
        { role: 'assistant', content: row.reply },
      ])
      messages.push({ role: 'user', content: input.prompt })
      let reply = ''
      for (const [n, step] of STEPS.entries()) {
        const asked: Message[] = [...messages, { role: 'system', content: step }]
        const completion = await complete(modelUrl, asked, ctx.signal)
        reply = completion.reply
        // Past the token limit of the job this throws, and the job ends in ERROR.
        const { tokensUsed } = await ctx.usage(completion.tokens)
        await ctx.progress({ step: n + 1, of: STEPS.length, tokensUsed })
      }
      // The line of the transcript and the end of the job are one transaction: a turn that runs twice is written once.
      const written = await ctx.commit(async (tx) => {
        await transcript.write(tx, { ...input, reply })
        return { reply }
      })
      ended?.(`${input.conversation} turn ${input.turn} SUCCESS, attempt ${ctx.attempt}`)
      return written
    },
  })
}
