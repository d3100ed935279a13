#!/usr/bin/env node
// The `holdfast` executable: refuses an old Node, then runs the command line.
import { refuseNode } from './node-version.js'

const refusal = refuseNode(process.versions.node)
if (refusal === undefined) {
  const { run } = await import('./program.js')
  process.exitCode = await run(process.argv)
  // Only a handler of the user that ignores its abort signal can still keep the process alive here.
  setTimeout(() => process.exit(), 1_000).unref()
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 78
}
