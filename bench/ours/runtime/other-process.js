// The parent's side of worker-process.js.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { numbered } from './app.js'

const FILE = fileURLToPath(new URL('./worker-process.js', import.meta.url))

/** One that has begun a job in each of its slots, and holds them until it is told to stop. */
export async function startFullWorker(app, job, options) {
  const worker = await startWorker({ ...options, holds: true })
  const handles = await app.enqueueMany(job, numbered(0, options.concurrency))
  await worker.until(() => worker.began.size === handles.length)
  return { worker, handles }
}

export async function startWorker(options) {
  const child = fork(FILE, [JSON.stringify(options)])
  const heard = { began: new Map(), told: new Map() }
  let look = () => {}
  let failed
  child.on('message', (message) => {
    for (const word of ['began', 'told']) if (message[word]) heard[word].set(message[word], message.at)
    if (message.ready) heard.ready = true
    look()
  })
  const gone = new Promise((resolve) =>
    child.on('exit', (code, signal) => {
      if (code !== 0 && signal !== 'SIGKILL')
        failed = new Error(`a worker process ended with ${code ?? signal}`)
      look()
      resolve()
    }),
  )
  const until = (is) =>
    new Promise((resolve, reject) => {
      look = () => {
        if (failed) reject(failed)
        else if (is()) resolve()
      }
      look()
    })
  await until(() => heard.ready)
  return {
    pid: child.pid,
    /** When each job began here, and when its handler was told to stop. */
    began: heard.began,
    told: heard.told,
    until,
    kill() {
      child.kill('SIGKILL')
      return gone
    },
    stop() {
      child.send('stop')
      return gone
    },
  }
}
