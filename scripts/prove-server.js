// Proves what is promised of the server under abuse: malformed requests, slow sockets, a noisy tenant, lists of a million. Writes docs/proofs/server.json and
// the table of docs/internals/server-proof.md.
//
//   npm run prove:server -- [--only malformed|sockets|neighbours|lists] [--requests 100000] [--sockets 2000] [--seconds 15] [--rows 1000000] [--seed 26]
//   npm run prove:server -- --only fields    prints every field that is attacked
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { circumstances } from './prove/circumstances.js'
import { compiled } from './prove/compiled.js'
import { serverTable } from './prove/server-table.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const JSON_FILE = `${root}docs/proofs/server.json`
const PAGE = `${root}docs/internals/server-proof.md`

const folder = compiled(['test/server/proof', 'test/server/samples.ts', 'test/chaos/random.ts'])
const { code, text } = await run([join(folder, 'test/server/proof/run.js'), ...process.argv.slice(2)])
if (process.argv.includes('fields') || code !== 0) {
  process.stdout.write(text)
  process.exit(code)
}
const { postgres, ...parts } = JSON.parse(text)
const proof = existsSync(JSON_FILE) ? JSON.parse(readFileSync(JSON_FILE, 'utf8')) : {}
const around = { ...circumstances(root, ['src', 'sql', 'test/server']), postgres }
for (const [name, part] of Object.entries(parts)) proof[name] = { ...around, ...part }
proof.passed = ['malformed', 'slowSockets', 'neighbours', 'longLists'].every(
  (name) => proof[name]?.passed === true,
)
writeFileSync(JSON_FILE, `${JSON.stringify(proof, null, 2)}\n`)
execFileSync('npx', ['biome', 'format', '--write', JSON_FILE], { cwd: root, stdio: 'ignore' })
const page = readFileSync(PAGE, 'utf8')
const place = /(<!-- results: [^>]*-->\n)[\s\S]*?(<!-- end -->)/
writeFileSync(
  PAGE,
  page.replace(place, (_all, begin, end) => `${begin}\n${serverTable(proof)}\n\n${end}`),
)
console.log(
  `written to docs/proofs/server.json: ${Object.values(parts).every(({ passed }) => passed) ? 'passed' : 'FAILED'}`,
)
process.exitCode = Object.values(parts).every(({ passed }) => passed) ? 0 : 1

function run(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, text })))
}
