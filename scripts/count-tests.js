/** Adds up the results that vitest has left in a folder (`TEST_RESULTS`), as the last line of a run: `3724 passed, 0 failed`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , folder = '.'] = process.argv
let passed = 0
let failed = 0
for (const name of readdirSync(folder)) {
  const results = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  passed += results.numPassedTests
  // A file that could not be loaded has no tests that failed.
  const unloaded = results.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  failed += results.numFailedTests + unloaded.length
  for (const file of results.testResults)
    for (const test of file.assertionResults.filter((each) => each.status === 'failed'))
      process.stdout.write(`failed: ${test.fullName}\n`)
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
