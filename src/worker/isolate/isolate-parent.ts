/**
 * A thread beside an isolated handler that kills its process when the worker is gone. The handler may block the event loop, and the next
 * attempt of its job starts when the worker's lease expires, so this thread needs no event loop.
 */
import { workerData } from 'node:worker_threads'

const LOOK_MS = 100

const sleeper = new Int32Array(new SharedArrayBuffer(4))
// The parent passes its process id: it may have died before this thread started.
while (process.ppid === workerData) Atomics.wait(sleeper, 0, 0, LOOK_MS)
process.kill(process.pid, 'SIGKILL')
