/** In a worker process: it stops when its example asks for it, and ends when its example is gone. */
export function onStop(stop: () => Promise<void>): void {
  process.once('SIGTERM', () => {
    void stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  // Only the example holds the other end: it was killed, and no one is left to ask this process to stop.
  if (process.env.WORKER_NAME !== undefined) process.stdin.resume().once('end', () => process.exit(1))
}
