/**
 * The quick lane, `npm test`: what shows within minutes that a change holds. The full lane (vitest.full.config.ts) has everything. A test
 * file that takes over 20 seconds is named `*.slow.test.ts` and runs in the full lane only.
 */
import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

type Lane = ProvidedContext['lane']
type Surroundings = ProvidedContext['surroundings']

const src = (file: string) => fileURLToPath(new URL(`./src/${file}`, import.meta.url))
const resolve = {
  alias: [
    { find: /^holdfast$/, replacement: src('index.ts') },
    { find: /^holdfast\/(.*)$/, replacement: `${src('')}$1.ts` },
  ],
}

/** The runtime once more where it is harder: through a transaction pooler, and without notifications. */
const AROUND: Record<Lane, Record<'pgbouncer' | 'notify off', string[]>> = {
  quick: {
    pgbouncer: ['test/worker/reporting.test.ts'],
    'notify off': ['test/app/upkeep.test.ts'],
  },
  full: {
    pgbouncer: [
      'test/app/{work,results,upkeep,enqueue,transactions}.test.ts',
      'test/worker/{run,drain,stopping,lease.slow,reporting}.test.ts',
      'test/worker/processes/deaths.slow.test.ts',
      'test/store/runtime/{commit,port}.test.ts',
      'test/store/roles/side-by-side.test.ts',
    ],
    'notify off': ['test/app/{work,results,upkeep}.test.ts'],
  },
}

export function lane(name: Lane): ViteUserConfig {
  const project = (surroundings: Surroundings, include: string[], exclude: string[] = []) => ({
    resolve,
    test: {
      name: surroundings,
      include,
      exclude,
      provide: { surroundings, lane: name },
      // Files of one worker share modules, databases and connections: see test/support/warm.ts.
      isolate: false,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // The default of one second flakes on a busy machine.
      expect: { poll: { timeout: 30_000 } },
    },
  })
  const results = process.env.TEST_RESULTS
  return defineConfig({
    test: {
      // One server for all projects.
      globalSetup: ['test/support/server.ts'],
      maxWorkers: 2,
      ...(results ? { reporters: ['default', 'json'], outputFile: { json: results } } : {}),
      projects: [
        project('usual', ['test/**/*.test.ts'], name === 'quick' ? ['test/**/*.slow.test.ts'] : []),
        project('pgbouncer', AROUND[name].pgbouncer),
        project('notify off', AROUND[name]['notify off']),
      ],
    },
  })
}

export default lane('quick')
