// Handlers for threads and processes of their own.
export default async function isolated(
  { jobId, attempt, signal, log, progress, report, usage },
  { does, ms },
) {
  if (does === 'crash' && attempt === 1) process.exit(7)
  if (does === 'throw') throw new TypeError('from over there')
  if (does === 'snooze') {
    throw Object.assign(new Error('later'), { [Symbol.for('holdfast.outcome')]: 'snooze', ms })
  }
  if (does === 'spin') for (;;) Math.random()
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
