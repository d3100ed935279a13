// What a series of chaos runs has come to, kept result by result, so that a series that was interrupted goes on where it stood.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { circumstances } from './circumstances.js'

/** What a result depends on. */
const PARTS = ['src', 'sql', 'test/chaos', 'test/support/sql.ts']

export const MUTANTS = [
  'no-fence',
  'fence-by-state',
  'sweep-by-id',
  'claim-in-limit',
  'worker-clock',
  'lane-not-locked',
  'key-select-then-insert',
  'async-claim',
  'lease-revived',
  'revoked-by-id',
  'feed-unflushed',
  'ack-before-commit',
]

/** When, of which commit and where; `tree` is the same for commits that differ in nothing a result depends on. Null: what was run is no commit's. */
export function chaosCircumstances(root) {
  const where = circumstances(root, PARTS)
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const trees = git('rev-parse', ...PARTS.map((part) => `HEAD:${part}`))
  const isCommitted = !where.commit.includes(' ')
  return {
    ...where,
    tree: isCommitted ? createHash('sha256').update(trees).digest('hex').slice(0, 16) : null,
  }
}

/** The part of a proof to go on with: the one there is, if it is of the same tree and the same machine; else a new one. */
export function continued(part, now) {
  const isSame =
    part?.tree != null &&
    part.tree === now.tree &&
    JSON.stringify(part.machine) === JSON.stringify(now.machine)
  return isSame ? part : { ...now, results: [] }
}

/** With one more result, in place of an earlier one of the same name; in the order of `names`, those of none of them last. */
export function withResult(part, key, result, names) {
  const results = [...part.results.filter((other) => other[key] !== result[key]), result]
  const place = (one) => (names.includes(one[key]) ? names.indexOf(one[key]) : names.length)
  return { ...part, results: results.sort((a, b) => place(a) - place(b)) }
}

/** Every run held and every mutant is dead, none is missing, and all of it is of one tree. */
export function isPassed({ runs, mutants }, seeds, names) {
  const has = (part, key, all, isGood) =>
    part !== undefined && all.every((name) => part.results.some((one) => one[key] === name && isGood(one)))
  return (
    runs?.tree != null &&
    runs.tree === mutants?.tree &&
    has(runs, 'seed', seeds, ({ verdict }) => verdict === 'held') &&
    has(mutants, 'mutant', names, ({ dead }) => dead)
  )
}
