// The tables of docs/internals/proof.md, from docs/proofs/chaos.json.

export function runsTable(runs) {
  if (runs === undefined) return 'Not measured.'
  const columns = [
    'seed',
    'workers',
    'faults',
    'jobs',
    'claims',
    'expired leases',
    'refused stale writes',
    'reconnects',
    'lost replies',
    'restarts',
    'left to drain',
    'drained in',
    'violations',
  ]
  const rows = runs.results.map(
    ({ seed, workers, faults, counts, seen, leftToDrain, drainedInMs, violations, verdict }) => [
      seed,
      workers,
      faults,
      grouped(counts['jobs made']),
      grouped(seen.claims),
      seen['expired leases'],
      seen['refused stale writes'],
      grouped(seen.reconnects),
      counts['replies lost after commit'],
      counts['restarts of Postgres'],
      leftToDrain,
      seconds(drainedInMs / 1_000),
      verdict === 'vacuous' ? 'proves nothing' : violations.length,
    ],
  )
  const slow = runs.results.flatMap(({ seed, heldUp }) =>
    heldUp.slice(0, 1).map((line) => `- Seed ${seed}: ${line}`),
  )
  const named = slow.length === 0 ? [] : ['', 'What drains of more than ten seconds waited for:', '', ...slow]
  return [where(runs), '', ...table(columns, rows), ...named].join('\n')
}

export function mutantsTable(mutants) {
  if (mutants === undefined) return 'Not measured.'
  const rows = mutants.results.map(
    ({ mutant, mistake, dead, meant, killedBy, caughtBy, firstAfterSeconds }) => [
      `\`${mutant}\``,
      mistake,
      dead ? killerOf(meant, killedBy) : '**none: it lives**',
      dead ? mostOften(caughtBy).join('; ') : '',
      firstAfterSeconds === null ? 'the end' : seconds(firstAfterSeconds),
    ],
  )
  const columns = ['mutant', 'mistake', 'check that killed it', 'what was found', 'after']
  return [where(mutants), '', ...table(columns, rows)].join('\n')
}

/** The check meant for it, where it reported; else those that did. */
function killerOf(meant, killedBy) {
  return killedBy.includes(meant) ? meant : `${killedBy.join('; ')} (not: ${meant})`
}

function where({ at, commit, machine }) {
  const { cpu, cores, memoryGb, kernel, node } = machine
  const [hash, ...changes] = commit.split(' ')
  const tree = [`\`${hash.slice(0, 12)}\``, ...changes].join(' ')
  return `${at.slice(0, 10)}, commit ${tree}, on ${cpu}, ${cores} cores, ${memoryGb} GB, Linux ${kernel}, Node ${node}.`
}

function table(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)]
}

const mostOften = (counts) =>
  Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 4)
    .map(([rule]) => rule)
const grouped = (count) => count.toLocaleString('en-US')
const seconds = (count) => `${count.toFixed(1)} s`
