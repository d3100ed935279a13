import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const src = (file: string) => fileURLToPath(new URL(`./src/${file}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^holdfast$/, replacement: src('index.ts') },
      { find: /^holdfast\/(.*)$/, replacement: `${src('')}$1.ts` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Proofs about the tests and the plans: `npm run test:slow`.
    exclude: ['test/**/*.slow.test.ts'],
    globalSetup: ['test/support/server.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, which is what it is otherwise, decides by how busy the computer is.
    expect: { poll: { timeout: 30_000 } },
  },
})
