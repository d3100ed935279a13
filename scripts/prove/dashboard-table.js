// The pages that scripts/prove-dashboard.js measures, what it takes for a bounded statement, and the document it writes.

/** The data of a page, the preview of a bulk operation (it counts up to 10,000 jobs), and one statement. */
export const LIMITS_MS = { page: 300, preview: 3_000, statement: 3_000 }

const search = (q) => `?page=jobs&q=${encodeURIComponent(q)}`

export const DASHBOARD_PAGES = {
  overview: '',
  jobs: '?page=jobs',
  'jobs, state:failed': search('state:failed'),
  'jobs, state:queued': search('state:queued'),
  'jobs, state:succeeded': search('state:succeeded'),
  'jobs, kind:kind-7': search('kind:kind-7'),
  'jobs, kind:nothing': search('kind:nothing'),
  'jobs, key:order-100000': search('key:order-100000'),
  'jobs, customer-40': search('customer-40'),
  'jobs, input.user.id:u_42': search('input.user.id:u_42'),
  'jobs, error:"timeout"': search('error:"timeout"'),
  'jobs, error:"nothing"': search('error:"nothing"'),
  'jobs, state:failed error:"timeout"': search('state:failed error:"timeout"'),
  'jobs, worker:worker-3': search('worker:worker-3'),
  'jobs, version:1.2.0': search('version:1.2.0'),
  'jobs, attempts>=2': search('attempts>=2'),
  'jobs, label.team:team-1': search('label.team:team-1'),
  'jobs, -kind:kind-7 age>1d': search('-kind:kind-7 age>1d'),
  job: '?page=job&id={job}',
  errors: '?page=errors',
  error: '?page=error&id=fingerprint-7',
  kinds: '?page=kinds',
  kind: '?page=kind&name=kind-7',
  queues: '?page=queues',
  queue: '?page=queue&name=queue-3',
  targets: '?page=targets',
  schedules: '?page=schedules',
  schedule: '?page=schedule&name=schedule-7',
  workers: '?page=workers',
  worker: '?page=worker&name=worker-3',
  doctor: '?page=doctor',
  alerts: '?page=alerts',
  audit: '?page=audit',
  settings: '?page=settings',
}

/** The body of each preview. */
export const BULK_PREVIEWS = {
  'retry state:failed': { command: 'retry', q: 'state:failed' },
  'cancel state:queued': { command: 'cancel', q: 'state:queued' },
  'retry error:"timeout"': { command: 'retry', q: 'error:"timeout"' },
  'cancel input.user.id:u_42': { command: 'cancel', q: 'input.user.id:u_42' },
}

/** A row for each setting, chore, version, range of history or live worker: their size does not depend on how many jobs there are. */
const SMALL =
  'chore chores chore_run code job_id_seq migration partition schedules setting settings workers'.split(' ')

/**
 * A statement with a LIMIT, or a call of one of our SQL functions, whose bound is inside of it, or one that reads small tables alone. What
 * reads another relation directly and has no LIMIT is listed by name.
 */
export function isBounded(statement) {
  const text = statement.toLowerCase()
  if (/\blimit\b/.test(text)) return true
  const relations = [...text.matchAll(/\b(?:from|join)\s+holdfast\.(\w+)(\s*\()?/g)]
  return relations.every(([, name, call]) => call !== undefined || SMALL.includes(name))
}

export function dashboardPage(proof) {
  const {
    live,
    finished,
    historyPages,
    rounds,
    machine,
    postgres,
    commit,
    at,
    loadAverage,
    pages,
    previews,
  } = proof
  return `# The dashboard on a large database

\`npm run prove:dashboard\` fills a database, opens each page in Chromium, and sends the calls that the page made
again, all at once. A page passes if the 95th percentile of its data is at most ${LIMITS_MS.page} ms, no statement takes over
${LIMITS_MS.statement / 1000} s (the database cancels it), every statement has a LIMIT, is a call of a SQL function or reads settings, chores,
schedules, versions or workers alone, no statement touches as many pages of 8 kB as the history has, and no call is refused. Previews of bulk operations count up to 10,000
jobs; they have ${LIMITS_MS.preview / 1000} s. A search that is not answered from an index ends with its time budget, and the page says how
far it looked.

${grouped(live)} live and ${grouped(finished)} finished jobs, whose history has ${grouped(historyPages)} pages; ${rounds} rounds
a page; Postgres ${postgres}, ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, load average ${loadAverage.join(' ')};
${at}, commit ${commit}. Result: **${proof.passed ? 'passed' : 'failed'}**.

${table('page', pages)}

## Previews of bulk operations

${table('command and search', previews)}
`
}

function table(title, rows) {
  const lines = rows.map(
    ({ page, calls, statements, p50Ms, p95Ms, slowestMs, pagesMost, pagesRead, unbounded, refused }) =>
      `| ${page} | ${calls} | ${statements} | ${p50Ms} | ${p95Ms} | ${slowestMs} | ${grouped(pagesMost)} | ${grouped(pagesRead)} | ${unbounded.length} | ${refused.length} |`,
  )
  return `| ${title} | calls | statements | p50 ms | p95 ms | slowest statement ms | most pages of a statement | pages of all | without LIMIT | refused |
|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}`
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}
