// Writes docs/state-machine.md from the compiled table of moves. Run it after a build; a test fails while the page is stale.
import { mkdirSync, writeFileSync } from 'node:fs'
import { stateMachinePage } from '../dist/domain/states/diagram.js'

const docs = new URL('../docs/', import.meta.url)
mkdirSync(docs, { recursive: true })
writeFileSync(new URL('state-machine.md', docs), stateMachinePage())
