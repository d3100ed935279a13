// Handlers for threads and processes of their own.
import { writeFileSync } from 'node:fs'

export default async function isolated(
  { jobId, attempt, signal, log, progress, report, usage },
  { does, ms, file },
) {
  if (file !== undefined) writeFileSync(file, String(process.pid))
  if (does === 'crash' && attempt === 1) process.exit(7)
  if (does === 'throw') throw new TypeError('from over there')
  if (does === 'snooze') {
    throw Object.assign(new Error('later'), { [Symbol.for('holdfast.outcome')]: 'snooze', ms })
  }
  if (does === 'spin') for (;;) Math.random()
  if (does === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (does === 'wait') {
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
  if (does === 'tell') {
    log('over there', { jobId })
    await progress({ half: true })
    const reported = await report([{ id: 1 }], { page: 2 })
    const { tokensUsed } = await usage(5)
    return { pid: process.pid, newItems: reported.newItems, tokensUsed }
  }
  return { pid: process.pid }
}
