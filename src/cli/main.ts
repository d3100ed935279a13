#!/usr/bin/env node
import { refuseNode } from './node-version.js'

const refusal = refuseNode(process.versions.node)
if (refusal === undefined) {
  const { run } = await import('./program.js')
  process.exitCode = await run(process.argv)
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 78
}
