import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import { defineConfig } from 'vitest/config'

const src = (file: string) => fileURLToPath(new URL(`./src/${file}`, import.meta.url))

export const resolve = {
  alias: [
    { find: /^holdfast$/, replacement: src('index.ts') },
    { find: /^holdfast\/(.*)$/, replacement: `${src('')}$1.ts` },
  ],
}
// A second for a poll, which is what it is otherwise, decides by how busy the computer is.
const patience = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } }

/** What works on jobs, once more where it is harder: through a transaction pooler, and where nobody is told of new jobs. */
const NOT_TOLD = ['test/app/{work,results,upkeep}.test.ts']
const POOLED = [
  'test/app/{work,results,upkeep,enqueue,transactions}.test.ts',
  'test/worker/{run,drain,stopping,lease,reporting}.test.ts',
  'test/worker/processes/deaths.test.ts',
  'test/store/runtime/{commit,port}.test.ts',
  'test/store/roles/side-by-side.test.ts',
]
type Surroundings = ProvidedContext['surroundings']
const around = (surroundings: Surroundings, include: string[], exclude: string[] = []) => ({
  resolve,
  test: { name: surroundings, include, exclude, provide: { surroundings }, ...patience },
})

export default defineConfig({
  test: {
    // One server for all projects.
    globalSetup: ['test/support/server.ts'],
    maxWorkers: 2,
    projects: [
      // Proofs about the tests and the plans: `npm run test:slow`.
      around('usual', ['test/**/*.test.ts'], ['test/**/*.slow.test.ts']),
      around('pgbouncer', POOLED),
      around('notify off', NOT_TOLD),
    ],
  },
})
