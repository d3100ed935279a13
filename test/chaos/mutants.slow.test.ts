// A harness that lets a known mistake pass proves nothing: each of them, made on purpose, must break a promise within a short run.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { MUTANTS } from './mutants.js'

/** What finds it; others may find it as well. */
const FOUND_BY: Record<string, string[]> = {
  'no-fence': ['a stale pair wrote', 'an accepted ending is missing', 'effects differ'],
  'fence-by-state': ['a stale pair wrote', 'an accepted ending is missing', 'effects differ'],
  'sweep-by-id': ['a lease was taken back before it ran out'],
  'claim-in-limit': ['more run than may'],
  'worker-clock': ['a lease was taken back before it ran out', 'before it was due'],
  'lane-not-locked': ['not ended after the drain', 'a job waits in a lane that is not there'],
  'key-select-then-insert': ['two live jobs of a key', 'a live job has lost its key'],
  'ack-before-commit': ['an acknowledged job is missing'],
}

it.each(Object.keys(MUTANTS))('the run finds the mutant %s', { timeout: 300_000 }, async (mutant) => {
  const script = fileURLToPath(new URL('../../scripts/chaos.js', import.meta.url))
  const flags = ['--seconds', '20', '--random-seed', '7', '--mutant', mutant, '--json']
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, [script, ...flags], { maxBuffer: 1e8 }, (error, stdout) => {
      resolve({ code: error?.code ?? 0, stdout })
    })
  })
  const { findings } = JSON.parse(stdout) as { findings: { violations: { rule: string }[] }[] }
  const rules = new Set(findings.flatMap(({ violations }) => violations.map(({ rule }) => rule)))
  expect(FOUND_BY[mutant]?.filter((rule) => rules.has(rule))).not.toEqual([])
  expect(code).toBe(1)
})
