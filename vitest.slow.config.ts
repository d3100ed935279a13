import { mergeConfig } from 'vitest/config'
import usual from './vitest.config.js'

const slow = mergeConfig(usual, {})
slow.test.include = ['test/**/*.slow.test.ts']
slow.test.exclude = []
export default slow
