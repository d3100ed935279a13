// Secrets in payloads do not leave the server.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { REDACTED, redactor } from '../../src/server/access/redact.js'
import { freshServer } from './world.js'

it('a place is a JSON pointer, with * for every element or field; the rest stays as it is', () => {
  const redact = redactor(['/password', '/cards/*/number', '/a~1b', '/deep/0'])
  const payload = {
    password: 'x',
    cards: [{ number: 1, name: 'n' }, 'other'],
    'a/b': 2,
    deep: [1, 2],
    kept: { password: 'y' },
  }
  expect(redact(payload)).toEqual({
    password: REDACTED,
    cards: [{ number: REDACTED, name: 'n' }, 'other'],
    'a/b': REDACTED,
    deep: [REDACTED, 2],
    kept: { password: 'y' },
  })
  expect(payload.password).toBe('x')
  for (const value of [null, 'text', 5, [], {}]) expect(redact(value)).toEqual(value)
  expect(() => redactor(['password'])).toThrow('JSON pointer')
})

it('no route shows what is redacted, wherever a payload is', async () => {
  const { call, store } = await freshServer({ redact: ['/secret'] })
  await store.queues.create('q', { preset: 'harvest' })
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', input: { secret: 's3cr3t', open: 1 } })
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
  const said = { secret: 's3cr3t' }
  await store.work.report({
    ...(job as ClaimedJob),
    items: [{ phone: '1', ...said }],
    cursor: said,
    progress: said,
  })
  await store.work.finish([{ ...(job as ClaimedJob), outcome: 'succeeded', result: said }])
  for (const path of [
    `/api/v1/jobs/${jobId}`,
    `/api/v1/jobs/${jobId}/attempts`,
    `/api/v1/jobs/${jobId}/history`,
    '/api/v1/items?queue=q',
    '/api/v1/items/export?queue=q&format=csv',
    '/api/v1/items/export?queue=q&format=json',
  ]) {
    const { status, text } = await call('GET', path)
    expect(status).toBe(200)
    expect(text, path).toContain(REDACTED)
    expect(text, path).not.toContain('s3cr3t')
  }
  expect((await store.read.job(jobId)).input).toEqual({ secret: 's3cr3t', open: 1 })
})
