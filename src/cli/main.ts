#!/usr/bin/env node
import { refuseNode } from './node-version.js'

const refusal = refuseNode(process.versions.node)
if (refusal === undefined) {
  const { run } = await import('./program.js')
  process.exitCode = await run(process.argv)
  // What still keeps the process alive then is somebody else's: a handler that would not stop.
  setTimeout(() => process.exit(), 1_000).unref()
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 78
}
