// What a program exports for `holdfast worker`: jobs, and schedules that make them.
import { defineJob, PRIORITIES } from 'holdfast'

export const report = defineJob({
  kind: 'report',
  queue: 'reports',
  handler: async (ctx, { of }) => {
    ctx.log.info({ of }, 'reporting')
    return { of, at: new Date().toISOString() }
  },
})

export const schedules = [
  {
    name: 'nightly-sales',
    description: 'the sales of the day, after the shops of Berlin have closed',
    job: report,
    input: { of: 'sales' },
    expression: '30 2 * * MON-SAT',
    timeZone: 'Europe/Berlin',
    // Whoever looks at the report in the morning wants one, also when nobody was there at night.
    catchUp: 'latest',
    overlap: 'skip',
  },
  {
    name: 'heartbeat',
    job: report,
    input: { of: 'heartbeat' },
    expression: '@every 2s',
    priority: PRIORITIES.background,
    catchUp: 'skip',
  },
]
