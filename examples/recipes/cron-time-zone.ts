// Runs a job at 02:30 in Berlin every night, also in the nights when the clocks change there.
// Use it when people expect something at a time of day where they live, not in UTC.
// Run it: npm run example -- recipes/cron-time-zone   (Ctrl-C ends it)
import { defineJob, holdfast } from 'holdfast'

const report = defineJob({
  kind: 'report',
  queue: 'reports',
  handler: async (ctx, { of }: { of: string }) => {
    console.log(`job ${ctx.jobId} reports ${of}`)
  },
})

const app = await holdfast({
  migrate: true,
  jobs: [report],
  schedules: [
    {
      name: 'nightly-sales',
      job: report,
      input: { of: 'sales' },
      expression: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      // After a night without any process: fire the newest slot that was missed, once. This is the default.
      catchUp: 'latest',
    },
  ],
})

for (const slot of await app.schedules.preview('nightly-sales', 3)) {
  const inBerlin = slot.toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' })
  console.log(`${slot.toISOString()} is ${inBerlin} in Berlin`)
}

// Any number of processes may do this: each slot makes one job.
await app.work()
await app.schedules.run('nightly-sales', { reason: 'to see it once now' })

// Ctrl-C can arrive twice, because npm passes it on as well: the second one must not kill this process.
await new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve)
})
await app.stop()
