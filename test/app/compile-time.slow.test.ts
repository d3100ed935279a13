// What the compiler finds before a job is ever run. Checked by `npm run types`: a line below @ts-expect-error that compiles is an error.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type App, defineJob, defineSchedule, holdfast } from 'holdfast'
import type { Client } from 'holdfast/client'
import { expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { freshApp } from '../support/app.js'

const mail = defineJob({
  kind: 'mail',
  input: z.object({ to: z.string(), at: z.string().optional() }),
  handler: (_ctx, { to }) => to,
})
const tick = defineJob({ kind: 'tick', handler: () => 1 })
const perhaps = defineJob({
  kind: 'perhaps',
  input: z.object({ n: z.number() }).optional(),
  handler: (_ctx, input) => input?.n ?? 0,
})
const withDefault = defineJob({
  kind: 'with-default',
  input: z.object({ n: z.number() }).default({ n: 7 }),
  handler: (_ctx, { n }) => n,
})
const dated = defineJob({ kind: 'dated', handler: (_ctx, input: { at: Date }) => typeof input.at })
const either = defineJob({
  kind: 'either',
  input: z.object({ at: z.union([z.string(), z.date()]) }),
  handler: (_ctx, { at }) => String(at),
})

/** Never called: only its types matter. */
async function use(app: App, client: Client<[typeof mail, typeof tick, typeof dated]>) {
  await app.enqueue(tick)
  await app.enqueue(perhaps)
  await app.enqueue(withDefault, undefined, { priority: 1 })
  await client.enqueue('tick')
  // @ts-expect-error: this one needs an input
  await app.enqueue(mail)
  // @ts-expect-error: also over HTTP
  await client.enqueue('mail')

  await app.enqueue(either, { at: '2030-01-01' })
  // @ts-expect-error: a Date does not survive JSON
  await app.enqueue(dated, { at: new Date() })
  // @ts-expect-error: not even where the schema would take it
  await app.enqueue(either, { at: new Date() })
  // @ts-expect-error: nor in a list
  await app.enqueueMany(dated, [{ at: new Date() }])
  // @ts-expect-error: nor over HTTP
  await client.enqueue('dated', { at: new Date() })

  await holdfast({
    schedules: [
      { name: 'a', expression: '@daily', job: mail, input: { to: 'ada' } },
      { name: 'b', expression: '@daily', job: tick },
      { name: 'c', expression: '@daily', kind: 'of-another-program', input: { any: 1 } },
    ],
  })
  // @ts-expect-error: the input is that of another job
  await holdfast({ schedules: [{ name: 'a', expression: '@daily', job: mail, input: { too: 'ada' } }] })
  await holdfast({
    schedules: [
      { name: 'b', expression: '@daily', job: tick },
      // @ts-expect-error: the input is missing, beside a schedule that is as it should be
      { name: 'a', expression: '@daily', job: mail },
    ],
  })
  // @ts-expect-error: a Date does not survive JSON
  await holdfast({ schedules: [{ name: 'a', expression: '@daily', job: dated, input: { at: new Date() } }] })
  defineSchedule({ name: 'a', expression: '@daily', job: mail, input: { to: 'ada' } })
  // @ts-expect-error: the input is that of another job
  defineSchedule({ name: 'a', expression: '@daily', job: mail, input: { to: 1 } })
}

it('6.18 the input of a schedule is checked by the compiler, a Date in an input is refused by it', () => {
  expectTypeOf(use).toBeFunction()
  expect(use).toBeTypeOf('function')
})

it('6.18 enqueue(job) needs no input where its type allows that, and the schema agrees when it is run', async () => {
  const app = await freshApp({ jobs: [tick, perhaps, withDefault] })
  await app.work({ pollMs: 10 })
  const results = [await app.enqueue(tick), await app.enqueue(perhaps), await app.enqueue(withDefault)]
  expect(await Promise.all(results.map((handle) => handle.result()))).toEqual([1, 0, 7])
  expect((await results[1]?.job())?.input).toBeNull()
})

it('6.18 a typo in defineJob is named at run time, with the nearest name', () => {
  const misspelt = { kind: 'a', maxRetry: 3, handler: () => 1 }
  expect(() => defineJob(misspelt)).toThrow('Did you mean "maxRetries"?')
})

it('6.18 a typo in defineJob is named by the compiler, with and without a schema and in a job of its own module', () => {
  const lines = [
    `defineJob({ kind: 'a', maxRetry: 3, handler: async (_ctx, input: { to: string }) => input })`,
    `defineJob({ kind: 'a', maxRetry: 3, input: z.object({ to: z.string() }), handler: (_ctx, input) => input.to })`,
    `defineJob({ kind: 'a', maxRetry: 3, isolate: 'thread', handler: new URL('file:///x') })`,
  ]
  const told = compiled(
    `import { defineJob } from 'holdfast'\nimport { z } from 'zod'\n${lines.join('\n')}\n`,
  )
  expect(told).toHaveLength(lines.length)
  for (const line of told) expect(line).toMatch(/TS2353: .*'maxRetry' does not exist/)
})

/** What the compiler says of a program of this text. */
function compiled(text: string): string[] {
  const root = resolve(import.meta.dirname, '../..')
  const folder = mkdtempSync(join(root, 'test', 'app', '.compiled-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'program.ts'), text)
  const config = { extends: join(root, 'tsconfig.json'), include: ['program.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { stdout } = spawnSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    ['-p', folder, '--noEmit', '--pretty', 'false'],
    {
      encoding: 'utf8',
    },
  )
  return stdout.split('\n').filter((line) => line.includes('error TS'))
}
