import { defineConfig } from 'vitest/config'
import { resolve } from './vitest.config.js'

export default defineConfig({
  resolve,
  test: {
    include: ['test/**/*.slow.test.ts'],
    provide: { surroundings: 'usual' },
    globalSetup: ['test/support/server.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
