// docs/worker-protocol.md is a script: each block is run with curl, and what it shows is what comes out.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../cli/documents.js'
import { listening } from '../conformance/worlds.js'
import { countLeases } from '../support/leases.js'
import { pinnedStore } from '../support/world.js'

interface Block {
  readonly code: string
  readonly shows: string
}

function blocks(): Block[] {
  const text = readFileSync(join(ROOT, 'docs', 'worker-protocol.md'), 'utf8')
  const fences = [...text.matchAll(/^```(sh run|json output|sh output)\n([\s\S]*?)^```$/gm)]
  return fences.flatMap(([, role, code = ''], index) =>
    role === 'sh run' ? [{ code, shows: fences[index + 1]?.[2] ?? '' }] : [],
  )
}

/** Values side by side, however they are laid out. */
const values = (text: string): unknown =>
  text.trimStart().startsWith('{')
    ? JSON.parse(`[${text.trim().replace(/\}\s*\{(?=\s*")/g, '},{')}]`)
    : text.trim()

it('every command of the document answers what the document shows', async () => {
  const store = await pinnedStore()
  await countLeases(store.database)
  const { url, key } = await listening(store)
  const MARK = '--- end of a block ---'
  const script = blocks().map(({ code }) => `${code}\necho; echo '${MARK}'`)
  const shell = spawn('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script.join('\n')], {
    env: { ...process.env, URL: url, KEY: key },
  })
  let said = ''
  let complained = ''
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  shell.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complained += chunk
  })
  const code = await new Promise((resolve, reject) => {
    shell.on('error', reject)
    shell.on('close', resolve)
  })
  expect({ code, complained }).toEqual({ code: 0, complained: '' })
  const answers = said.split(MARK)
  expect(blocks().length).toBeGreaterThan(10)
  for (const [index, { code: sent, shows }] of blocks().entries())
    expect(values(answers[index] ?? ''), sent).toEqual(values(shows))
})
