// What a program without a logger hears of its jobs.
import { defineJob, type HoldfastOptions } from 'holdfast'
import { expect, it, onTestFinished, vi } from 'vitest'
import { freshApp } from '../support/app.js'

const breaks = defineJob({
  kind: 'breaks',
  maxRetries: 0,
  handler: () => {
    throw new Error('no such\nmailbox')
  },
})
const holds = defineJob({ kind: 'holds', handler: () => 1 })

async function lines(options: Pick<HoldfastOptions, 'log'>): Promise<string> {
  let text = ''
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  onTestFinished(() => stderr.mockRestore())
  const app = await freshApp({ jobs: [breaks, holds], ...options })
  await app.work({ name: 'w' })
  await (await app.enqueue(holds, {})).result()
  const { id, result } = await app.enqueue(breaks, {})
  await result().catch(() => {})
  await app.stop()
  stderr.mockRestore()
  return text.replaceAll(`job_id: ${id}`, 'job_id: N')
}

it('6.18 the library writes warnings to stderr, one line each, where no logger was given', async () => {
  const text = await lines({})
  expect(text).toMatch(
    /^holdfast warning: attempt ended \(event: attempt_ended, job_id: N, kind: breaks, .*reason: no such mailbox\)\n$/,
  )
})

it('6.18 log: false silences the library', async () => {
  expect(await lines({ log: false })).toBe('')
})

it('6.18 the success of an attempt is logged at debug', async () => {
  const levels: string[] = []
  const at = (level: string) => (fields: object, message: string) => {
    if (message === 'attempt ended') levels.push(`${level} ${(fields as { outcome: string }).outcome}`)
  }
  await lines({ log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } })
  expect(levels).toEqual(['debug succeeded', 'warn failed'])
})
