// What is broken on purpose to prove that the tests of a row notice it. Each edit replaces a piece of text that occurs exactly once in its file.
export const ROW_PATCHES = [
  {
    row: 'S0.07',
    breaks: 'Items are compared by their phone, whatever field the queue names.',
    edits: [
      {
        file: 'sql/functions/finish/report.sql',
        find: 'e.data ->> v_queue.items_key',
        replace: "e.data ->> 'phone'",
      },
    ],
    tests: ['test/presets/harvest-legacy.test.ts'],
  },
  {
    row: 'S0.09',
    breaks: 'A lost lease never uses up the last attempt: the job is queued again.',
    edits: [
      {
        file: 'sql/functions/finish/end_attempts.sql',
        find: "(p_queue.on_lease_lost <> 'count' or p_failures < p_max_retries)",
        replace: 'true',
      },
    ],
    tests: ['test/presets/harvest-attempts.test.ts'],
  },
  {
    row: 'S1.03',
    breaks: 'The answer for a duplicate has the status 201, like that for a new job.',
    edits: [
      {
        file: 'src/server/routes/jobs.ts',
        find: 'status: enqueued.deduplicated ? 200 : 201',
        replace: 'status: 201',
      },
    ],
    tests: ['test/presets/crawl-legacy.test.ts'],
  },
  {
    row: 'S1.17',
    breaks: 'An idle worker polls every second, whatever the setting says.',
    edits: [
      {
        file: 'src/app/engine.ts',
        find: 'const value = await settings.get(name)',
        replace: 'const value = Math.min(1_000, await settings.get(name))',
      },
    ],
    tests: ['test/presets/catalog-config.slow.test.ts'],
  },
  {
    row: 'S2.01',
    breaks: 'A job that failed and is claimable again reads `queued`.',
    edits: [
      {
        file: 'sql/functions/base/state_word.sql',
        find: "case when p_attempted then 'failed_retryable' else 'queued' end",
        replace: "'queued'",
      },
    ],
    tests: ['test/presets/pipeline-status.slow.test.ts', 'test/presets/pipeline.slow.test.ts'],
  },
  {
    row: 'S3.01',
    breaks: 'A paused job reads `QUEUED`.',
    edits: [
      {
        file: 'sql/functions/base/state_word.sql',
        find: "when 'paused' then 'PAUSED'",
        replace: "when 'paused' then 'QUEUED'",
      },
    ],
    tests: ['test/presets/target-status.slow.test.ts', 'test/presets/target.test.ts'],
  },
  {
    row: 'S3.05',
    breaks: 'Heartbeats come twice in a lease, every 5 s, whatever the queue says.',
    edits: [
      {
        file: 'src/store/work-terms.ts',
        find: 'heartbeatMs: Math.min(...beats, Math.floor(leaseMs / 3))',
        replace: 'heartbeatMs: Math.max(...beats, Math.floor(leaseMs / 2))',
      },
    ],
    tests: ['test/presets/target-runtime.slow.test.ts'],
  },
  {
    row: 'S3.06',
    breaks: 'A worker acts on a cancel request only when a second heartbeat reports it.',
    edits: [
      {
        file: 'src/worker/heartbeat/heartbeat-loop.ts',
        find: 'cancel: renewed.flatMap(({ cancel }) => cancel),',
        replace: 'cancel: renewed.flatMap(({ cancel }) => cancel.filter((each) => !isFirst(each))),',
      },
      {
        file: 'src/worker/heartbeat/heartbeat-loop.ts',
        find: 'function isNews(',
        replace: `const seen = new Set<number>()
function isFirst({ jobId }: JobAttempt): boolean {
  return !seen.delete(jobId) && seen.add(jobId).has(jobId)
}

function isNews(`,
      },
    ],
    tests: ['test/presets/target-runtime.slow.test.ts'],
  },
  {
    row: 'S4.01',
    breaks: 'Queues of the preset share the claims like other queues, each in its own order.',
    edits: [
      {
        file: 'sql/functions/claim/claim_oldest.sql',
        find: "q.order_by = 'global_fifo' and not q.limited;",
        replace: 'false;',
      },
    ],
    tests: ['test/presets/catalog-order.test.ts'],
  },
  {
    row: 'S4.03',
    breaks: 'A job reads `assigned` until the next heartbeat.',
    edits: [
      {
        file: 'sql/functions/claim/claim.sql',
        find: '(r.losses >= 2 or q.record_starts or j.n > p_start_now',
        replace: '(r.losses >= 2 or j.n > p_start_now',
      },
    ],
    tests: ['test/presets/catalog-steps.slow.test.ts'],
  },
  {
    row: 'S4.05',
    breaks: 'A kind that no program has declared is accepted everywhere.',
    edits: [
      {
        file: 'sql/functions/jobs/enqueue.sql',
        find: 'perform holdfast.refuse_unknown_kinds(p_jobs, p_tenant);',
        replace: 'null;',
      },
    ],
    tests: ['test/app/unknown-kinds.test.ts'],
  },
]
