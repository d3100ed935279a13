// The table of docs/internals/server-proof.md, from docs/proofs/server.json.

const grouped = (value) => value.toLocaleString('en-US')

export function serverTable({ malformed, slowSockets, neighbours, longLists }) {
  const rows = [
    ...(malformed === undefined ? [] : malformedRows(malformed)),
    ...(slowSockets === undefined ? [] : slowRows(slowSockets)),
    ...(neighbours === undefined ? [] : neighbourRows(neighbours)),
    ...(longLists === undefined ? [] : longRows(longLists)),
  ]
  const notes = Object.entries({
    'Malformed requests': malformed,
    'Slow sockets': slowSockets,
    'A noisy tenant': neighbours,
    'Long lists': longLists,
  })
  return [
    '| what | must be | was |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
    ...notes
      .filter(([, part]) => part !== undefined)
      .map(([name, { at, commit, machine, postgres }]) => {
        const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}`
        return `${name}: ${at.slice(0, 10)}, commit \`${commit.slice(0, 12)}\`${commit.endsWith('changes') ? ' with changes' : ''}, Postgres ${postgres}, ${where}.`
      }),
  ].join('\n')
}

function malformedRows({ count, routes, fields, wrong, refusedAt, rssMb, peakMb, growthOfRss, ...rest }) {
  const marks = Object.entries(rssMb)
  const at = (share) => marks.find(([n]) => Number(n) === count * share)?.[1]
  const statuses = Object.entries(rest.byStatus).map(([status, n]) => `${grouped(n)} × ${status}`)
  return [
    [
      'malformed requests',
      'every route × field',
      `${grouped(count)} over ${routes} routes and ${fields} fields`,
    ],
    [
      'their answers',
      '4xx, as problem+json with a remedy',
      wrong.length === 0 ? statuses.join(', ') : `${wrong.length} wrong`,
    ],
    [
      'refused by the contract, past door and parser',
      '≥ 90 %',
      `${((refusedAt.contract / count) * 100).toFixed(1)} %`,
    ],
    [
      'strange, but allowed by the contract',
      'no 5xx',
      `${grouped(rest.allowedAndNoErrorOfOurs)}, ${wrong.length} wrong`,
    ],
    [
      'resident memory after a fifth, and at the end',
      '≤ × 1.1',
      `${at(0.2)} MB, ${at(1)} MB: × ${growthOfRss}; with garbage up to ${peakMb} MB`,
    ],
    [
      'unhandled rejections, errors in the log',
      '0',
      `${rest.complaintsOfTheServer.length}; it then ended with 0 on SIGTERM`,
    ],
  ]
}

function slowRows({ sockets, asked, succeeded, slowestMs, openAtLeast, turnedAway }) {
  return [
    [
      `ordinary requests while ${grouped(sockets)} slow sockets are open`,
      'all succeed',
      `${succeeded} of ${asked}, the slowest after ${grouped(slowestMs)} ms; never fewer than ${grouped(openAtLeast)} open, ${grouped(turnedAway)} turned away and back`,
    ],
  ]
}

const NOISES = {
  quiet: 'nothing else going on',
  largeBatches: 'eight batches of 6 MB at a time, again and again',
  nestedBatches: 'the same, of nested lists',
  emptyLists: 'the same, of empty lists',
  tooDeep: 'the same, of three million levels',
  longNumber: 'the same, of one number',
  waitingPulls: '300 pulls that wait',
  waitingClaims: '300 claims that wait, each for a queue of its own',
}

function neighbourRows({ phases }) {
  const of = ({ p50, p99 }) => `${grouped(p50)} / ${grouped(p99)}`
  return Object.entries(phases).map(([name, { renew, finish, list }]) => [
    `another tenant's renewals, finishes and lists; beside them ${NOISES[name] ?? name}`,
    'p99 ≤ 1,000 ms, lists 2,000 ms',
    `p50 / p99 in ms: ${of(renew)}, ${of(finish)}, ${of(list)}`,
  ])
}

function longRows({ exportJson, exportCsv, listJobs }) {
  const row = (what, { rows, beforeMb, grewMb, seconds }) => [
    what,
    'grows ≤ 50 MB',
    `${grouped(rows)} rows in ${seconds} s: ${beforeMb} MB and ${grewMb} MB more at most`,
  ]
  return [
    row('export of items as JSON', exportJson),
    row('the same as CSV', exportCsv),
    row('list of jobs, page by page', listJobs),
  ]
}
