/** The jobs of this app, their queue and their schedule. Both processes import it: web enqueues these jobs, the worker runs them. */
import { defineJob, defineSchedule, type QueueDeclaration } from 'holdfast'
import { z } from 'zod'
import { mail } from './mail.js'

/** If the handler throws, the job is retried up to eight times, each time after a longer wait. */
export const welcome = defineJob({
  kind: 'welcome',
  queue: 'mail',
  input: z.object({ email: z.email() }),
  // A second job for the same address is not created while the first is waiting or running.
  key: 'welcome:{email}',
  maxRetries: 8,
  timeoutMs: 30_000,
  handler: async (ctx, { email }) => {
    await mail.send({ to: email, subject: 'Welcome' }, ctx.signal)
    ctx.log(`sent to ${email}`)
    return { sentTo: email }
  },
})

export const digest = defineJob({
  kind: 'digest',
  queue: 'mail',
  input: z.object({ to: z.email() }),
  handler: async (ctx, { to }) => {
    // The query and the completion of the job are one transaction.
    return ctx.commit(async (tx) => {
      const [row] = await tx.query<{ signups: string }>('select count(*) as signups from signups')
      const signups = Number(row?.signups)
      await mail.send({ to, subject: `Signups so far: ${signups}` }, ctx.signal)
      return { signups }
    })
  },
})

export const jobs = [welcome, digest]

export const queues: Record<string, QueueDeclaration> = {
  mail: { retryBaseMs: 1_000, maxRunning: 10 },
}

export const schedules = [
  defineSchedule({
    name: 'daily-digest',
    job: digest,
    input: { to: 'team@example.org' },
    expression: '0 8 * * *',
    timeZone: 'Europe/Berlin',
  }),
]
