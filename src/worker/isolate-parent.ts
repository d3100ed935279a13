/**
 * A thread beside an isolated handler that ends its process when the worker is gone. The handler may keep the event loop from ever
 * hearing of that, and the next attempt of its job begins when the worker's lease is over: so this needs no event loop.
 */
import { workerData } from 'node:worker_threads'

const LOOK_MS = 100

const sleeper = new Int32Array(new SharedArrayBuffer(4))
// Given by the parent, not asked for here: it may have died before this thread began.
while (process.ppid === workerData) Atomics.wait(sleeper, 0, 0, LOOK_MS)
process.kill(process.pid, 'SIGKILL')
