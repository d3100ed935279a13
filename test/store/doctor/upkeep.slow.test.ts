/** Whether upkeep is awake, as the doctor finds out: by every chore, each at its own pace. Planted in a healthy database, and mended. */
import { expect, it } from 'vitest'
import { ChoreRunner } from '../../../src/app/chores/chore-runner.js'
import { ChoreNotes } from '../../../src/app/chores/notes.js'
import { open } from '../../support/databases.js'
import { serverUrl } from '../../support/world.js'
import { healthy as healthyIn, type Patient } from './patient.js'

/** In the run's own server, of which others make use as well: only what is said of upkeep counts. */
const healthy = () => healthyIn(open(serverUrl()))
const found = async (patient: Patient) =>
  (await patient.examine()).findings.filter(({ code }) => /^(upkeep|chore)_/.test(code))
const codes = async (patient: Patient) => (await found(patient)).map(({ code }) => code)

it('upkeep_asleep: upkeep has not run for an hour', async () => {
  const patient = await healthy()
  for (const said of ['chore', 'chore_run'])
    await patient.database.script(`update holdfast.${said} set last_run_at = now() - interval '1 hour'`)
  expect(await codes(patient)).toEqual(['upkeep_asleep'])
  for (const chore of ['promote', 'age']) await new ChoreRunner(patient).run(chore)
  expect(await codes(patient)).toEqual([])
})

it('chore_late: some chores run and one has not for an hour', async () => {
  const patient = await healthy()
  await patient.database.script(
    "update holdfast.chore_run set last_run_at = now() - interval '1 hour' where name = 'promote'",
  )
  expect(await found(patient)).toMatchObject([
    { code: 'chore_late', severity: 'warning', data: { chores: ['promote'] } },
  ])
  // Somebody may just have asked for longer intervals.
  await patient.settings.set('MAX_ATTEMPTS_DEFAULT', 5)
  expect(await codes(patient)).toEqual(['chore_late'])
  await patient.settings.set('RECLAIM_INTERVAL_MS', 60_000)
  expect(await codes(patient)).toEqual([])
  await new ChoreRunner(patient).run('promote')
  expect(await codes(patient)).toEqual([])
})

it('chore_failing: a chore runs, and fails', async () => {
  const patient = await healthy()
  const pass = { name: 'prune', everyMs: 300_000, durationMs: 1, rows: 0 }
  const notes = new ChoreNotes(patient)
  await notes.note({ ...pass, error: 'no space left on device' })
  const findings = await found(patient)
  expect(findings).toMatchObject([{ code: 'chore_failing', data: { chore: 'prune' } }])
  expect(findings[0]?.sentence).toContain('no space left on device')
  await notes.note({ ...pass, error: null })
  await notes.say()
  expect(await codes(patient)).toEqual([])
})

it('nothing, after a crash of the server has emptied what was said of chores, while aging goes on', async () => {
  const patient = await healthy()
  await patient.database.script('truncate holdfast.chore_run')
  expect(await codes(patient)).toEqual([])
})
