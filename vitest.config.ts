/**
 * The quick lane, `npm test`: what shows within minutes that a change holds. The full lane (vitest.full.config.ts) has everything; the
 * rest (vitest.rest.config.ts) is the full lane without what the quick one has run. A test file that takes over 20 seconds is named
 * `*.slow.test.ts` and does not run in the quick lane.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

type Lane = 'quick' | 'full' | 'rest'
type Drivers = ProvidedContext['drivers']
type Surroundings = ProvidedContext['surroundings']

const src = (file: string) => fileURLToPath(new URL(`./src/${file}`, import.meta.url))
const resolve = {
  alias: [
    { find: /^holdfast$/, replacement: src('index.ts') },
    { find: /^holdfast\/(.*)$/, replacement: `${src('')}$1.ts` },
  ],
}

/** The runtime once more where it is harder: through a transaction pooler, and without notifications. */
const AROUND: Record<'quick' | 'full', Record<'pgbouncer' | 'notify off', string[]>> = {
  quick: {
    pgbouncer: ['test/worker/reporting.test.ts'],
    'notify off': ['test/app/results.test.ts'],
  },
  full: {
    pgbouncer: [
      'test/app/{work,results,upkeep.slow,enqueue,transactions.slow}.test.ts',
      'test/worker/{run,drain,stopping,lease.slow,reporting}.test.ts',
      'test/worker/processes/deaths.slow.test.ts',
      'test/store/runtime/{commit,port}.test.ts',
      'test/store/roles/side-by-side.test.ts',
    ],
    'notify off': ['test/app/{work,results,upkeep.slow}.test.ts'],
  },
}

const EVERY = 'test/**/*.test.ts'
const SLOW = 'test/**/*.slow.test.ts'
const BOTH: Drivers = ['postgres', 'pglite']

export function lane(name: Lane): ViteUserConfig {
  interface Project {
    name?: string
    surroundings?: Surroundings
    include: string[]
    exclude?: string[]
    drivers?: Drivers
  }
  const project = ({ surroundings = 'usual', drivers = ['postgres'], ...rest }: Project) => ({
    resolve,
    test: {
      name: surroundings,
      ...rest,
      provide: { surroundings, drivers },
      // Files of one worker share modules, databases and connections: see test/support/warm.ts.
      isolate: false,
      // No test is decided by its time: these end a test that hangs. On a machine with ten times the work it has cores for, a list of
      // 150,000 jobs takes three minutes.
      testTimeout: name === 'quick' ? 120_000 : 600_000,
      hookTimeout: 300_000,
      // The default of one second flakes on a busy machine.
      // A test without an assertion proves nothing.
      expect: { poll: { timeout: 100_000 }, requireAssertions: true },
    },
  })
  const results = process.env.TEST_RESULTS
  return defineConfig({
    test: {
      // One server for all projects.
      globalSetup: ['test/support/server.ts'],
      // Tests of the rest lane start processes and wait for them: a third worker uses the processor meanwhile.
      maxWorkers: name === 'rest' ? 3 : 2,
      ...(results ? { reporters: ['default', 'json'], outputFile: { json: results } } : {}),
      projects: [
        ...{
          quick: () => [project({ include: [EVERY], exclude: [SLOW] })],
          full: () => [project({ include: [EVERY], drivers: BOTH })],
          rest: () => [
            project({ include: [SLOW], drivers: BOTH }),
            project({ name: 'pglite', include: onEachDriver(), exclude: [SLOW], drivers: ['pglite'] }),
          ],
        }[name](),
        ...(['pgbouncer', 'notify off'] as const).map((surroundings) => {
          const { quick, full } = AROUND
          const exclude = name === 'rest' ? quick[surroundings] : []
          return project({ surroundings, include: (name === 'quick' ? quick : full)[surroundings], exclude })
        }),
      ],
    },
  })
}

/** Files with tests that run on each driver. */
function onEachDriver(): string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`)
  const tests = files.filter((file) => file.endsWith('.test.ts'))
  return tests.filter((file) => /onEachDriver\(|inject\('drivers'\)/.test(readFileSync(file, 'utf8')))
}

export default lane('quick')
