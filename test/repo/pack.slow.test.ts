// What a user installs: the packed package, built from a clean copy of this repository, in an empty folder.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'holdfast-pack-'))
const user = join(place, 'user')
let tarball = ''
let packed: string[] = []

beforeAll(async () => {
  const clone = join(place, 'clone')
  const notInTheClone = ['node_modules', '.git', '.holdfast', 'dist', 'coverage', 'bench']
  for (const name of readdirSync(root).filter((each) => !notInTheClone.includes(each))) {
    cpSync(join(root, name), join(clone, name), { recursive: true })
  }
  // On Windows only a junction needs no special right.
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction')
  await run('node', ['scripts/build.js'], clone)
  const [pack] = JSON.parse(await npm(['pack', '--json', '--pack-destination', place], clone))
  tarball = join(place, pack.filename)
  packed = pack.files.map((file: { path: string }) => file.path)
  mkdirSync(user)
  writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
  await npm(['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], user)
}, 120_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

it('packs the compiled code and the SQL, and neither sources nor tests', () => {
  const allowed =
    /^(dist\/.+\.(js|d\.ts)|sql\/(\w+\/)*\w+\.sql|config\/\w+\.toml|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/
  expect(packed.filter((file) => !allowed.test(file))).toEqual([])
  const sql = readdirSync(join(root, 'sql'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql'),
  )
  expect(packed).toEqual(expect.arrayContaining([...sql.map((file) => `sql/${file.replaceAll('\\', '/')}`)]))
  expect(packed).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/cli/main.js', 'LICENSE']),
  )
})

it('installs without scripts of its own', () => {
  const { scripts } = createRequire(join(user, 'x.js'))('holdfast/package.json')
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']
  expect(Object.keys(scripts ?? {}).filter((name) => hooks.includes(name))).toEqual([])
})

it('is imported by name, finds its SQL and works a job inside the process', async () => {
  writeFileSync(
    join(user, 'works.js'),
    `import { openStore } from 'holdfast/store'
     import { startEmbedded } from 'holdfast/embedded'
     import { pinClock } from 'holdfast/testing'
     const store = await openStore({ migrate: true })
     await pinClock(store)
     const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
     console.log(JSON.stringify([typeof startEmbedded, (await store.read.job(jobId)).state]))
     await store.close()`,
  )
  expect(JSON.parse(await run('node', ['works.js'], user))).toEqual(['function', 'queued'])
})

it('says which package to add for SQS, which does not come with it', async () => {
  writeFileSync(
    join(user, 'sqs.js'),
    `import { connectSqs } from 'holdfast/sqs'
     await connectSqs({ queueUrl: 'http://127.0.0.1:1/1/jobs' }).catch(({ code, remedy }) => console.log(code, remedy))`,
  )
  const said = await run('node', ['sqs.js'], user)
  expect(said).toMatch(/^package_missing .*npm install @aws-sdk\/client-sqs/)
})

it('carries types that a strict program can use, and that refuse a mistake', async () => {
  const compilerOptions = { strict: true, module: 'NodeNext', target: 'ES2022', noEmit: true, types: [] }
  writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['uses.ts'] }))
  writeFileSync(
    join(user, 'uses.ts'),
    `import { HoldfastError } from 'holdfast'
     import { openStore, type Store } from 'holdfast/store'
     import type { EmbeddedPostgres } from 'holdfast/embedded'
     import { type PinnedClock, pinClock } from 'holdfast/testing'
     export async function use(server: EmbeddedPostgres): Promise<number | string> {
       const store: Store = await openStore({ url: server.url, migrate: true })
       const clock: PinnedClock = await pinClock(store)
       await clock.advance(1000)
       try {
         return (await store.enqueue({ queue: 'q', kind: 'k', input: { n: 1 } })).jobId
       } catch (error) {
         return error instanceof HoldfastError ? error.remedy : 'unknown'
       }
     }
     // @ts-expect-error a job without a kind
     export const wrong = (store: Store) => store.enqueue({ queue: 'q' })`,
  )
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  expect(await run('node', [tsc, '-p', user], user)).toBe('')
})

it('brings a command that says its version and what it can do', async () => {
  const { version } = createRequire(import.meta.url)('../../package.json')
  expect((await npm(['exec', '--', 'holdfast', '--version'], user)).trim()).toBe(version)
  expect(await npm(['exec', '--', 'holdfast', '--help'], user)).toMatch(/Usage: holdfast[\s\S]*migrate/)
})

it('passes the checks of publint and are-the-types-wrong', async () => {
  const bin = (name: string) => join(root, 'node_modules', name)
  await run('node', [bin('publint/src/cli.js'), 'run', tarball, '--strict'], place)
  await run('node', [bin('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'esm-only'], place)
})

/** What the program printed; a program that fails makes the test fail with everything it said. */
async function run(program: string, args: string[], cwd: string): Promise<string> {
  // npm hands its settings to the programs it runs; those of this test run are not the user's.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_(registry|cache))|NODE_ENV|VITEST)/i.test(name),
    ),
  )
  const shell = process.platform === 'win32' && program === 'npm'
  try {
    const command = program === 'node' ? process.execPath : program
    return (await promisify(execFile)(command, args, { cwd, env, shell, maxBuffer: 1e7 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error })
  }
}

const npm = (args: string[], cwd: string) => run('npm', args, cwd)
