/** Definitions as a service has them; the client sees their types alone. */
import { Cancel, defineJob, GiveUp } from 'holdfast'
import { z } from 'zod'

export const resize = defineJob({
  kind: 'resize',
  queue: 'images',
  input: z.object({ file: z.string(), width: z.number().int().default(100) }),
  key: ({ file }) => file,
  handler: async (_ctx, { file, width }) => ({ file, bytes: width * 10, at: new Date(0) }),
})

export const greet = defineJob({
  kind: 'greet',
  handler: (_ctx, { name }: { name: string }) => `hello ${name}`,
})

export const fails = defineJob({
  kind: 'fails',
  handler: (_ctx, { how }: { how: 'give up' | 'cancel' }) => {
    if (how === 'cancel') throw new Cancel('nobody wants it')
    throw new GiveUp('no such page')
  },
})

export const parent = defineJob({
  kind: 'parent',
  handler: async (ctx, { name }: { name: string }) => (await ctx.enqueue(greet, { name })).id,
})

export const jobs = [resize, greet, fails, parent]
