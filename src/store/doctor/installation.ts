/** What the installation says of itself: its workers, the room for jobs to come, its upkeep, its rules. */
import { isLater } from '../migrate.js'
import { PACKAGE_VERSION } from '../package.js'
import { type Check, type Finding, one, type Patient, rows } from './finding.js'

export const workerCheck: Check = {
  name: 'workers',
  title: 'which version the workers run',
  async run(patient) {
    const found = await rows<{ version: string; workers: string[] }>(
      patient,
      'select version, array_agg(distinct worker order by worker) as workers from holdfast.workers where alive group by version',
    )
    return found.filter(({ version }) => isLater(PACKAGE_VERSION, version)).map(oldWorkers)
  },
}

function oldWorkers({ version, workers }: { version: string; workers: string[] }): Finding {
  const [first] = workers
  return {
    code: 'worker_old',
    severity: 'warning',
    sentence: `${workers.length === 1 ? `The worker ${first} runs` : `${workers.length} workers (${first}, …) run`} version ${version}; this is ${PACKAGE_VERSION}.`,
    fix: workers
      .slice(0, 5)
      .map((worker) => `holdfast workers drain ${worker} --reason "new version"`)
      .join('\n'),
    data: { version, workers },
  }
}

export interface RoomFacts {
  readonly room: number
  readonly width: number
}

export const roomCheck: Check = {
  name: 'room',
  title: 'ranges of history ahead',
  async run(patient) {
    const facts = await one<RoomFacts>(
      patient,
      `select ((select coalesce(max(hi), 1) from holdfast.partition) - 1 - (select case when is_called then last_value else 0 end from holdfast.job_id_seq))::float8 as room,
         holdfast.setting_number('PARTITION_JOBS')::float8 as width`,
    )
    return judgeRoom(facts, patient)
  },
}

export function judgeRoom(
  { room, width }: RoomFacts,
  { limits, schema }: Pick<Patient, 'limits' | 'schema'>,
): Finding[] {
  if (room >= limits.roomShare * width) return []
  return [
    {
      code: 'room_short',
      severity: room <= 0 ? 'problem' : 'warning',
      sentence: `There is room for ${Math.max(0, room)} more jobs: upkeep has not made the next range. Enqueue makes it itself then, and waits for it.`,
      fix: `select ${schema}.make_partitions(4);`,
      data: { room, width },
    },
  ]
}

export interface UpkeepFacts {
  readonly idleSec: number | null
  readonly everySec: number
  readonly jobs: boolean
}

export const upkeepCheck: Check = {
  name: 'upkeep',
  title: 'whether upkeep is awake',
  async run(patient) {
    const facts = await one<UpkeepFacts>(
      patient,
      `select extract(epoch from holdfast.now() - (select max(last_run_at) from holdfast.chore))::float8 as "idleSec",
         holdfast.setting_number('AGE_EVERY_SEC')::float8 as "everySec",
         (select is_called from holdfast.job_id_seq) as jobs`,
    )
    return judgeUpkeep(facts, patient)
  },
}

/** A database that has never had a job needs none. */
export function judgeUpkeep(
  { idleSec, everySec, jobs }: UpkeepFacts,
  { limits }: Pick<Patient, 'limits'>,
): Finding[] {
  if (idleSec === null ? !jobs : idleSec <= limits.upkeepPasses * everySec) return []
  return [
    {
      code: 'upkeep_asleep',
      severity: 'warning',
      sentence: `Upkeep ${idleSec === null ? 'has never run' : `last ran ${Math.round(idleSec)} s ago`}: nobody raises what waits long, makes room for jobs to come or drops old ones.`,
      fix: 'Start a worker or a server; each does it while it runs, if its role may: holdfast worker <module>, holdfast server',
      data: { idleSec, everySec },
    },
  ]
}

/** Reads whole tables, so only on request. */
export const ruleCheck: Check = {
  name: 'rules',
  title: 'the rules that may never be broken',
  async run(patient) {
    const broken = await rows<{ rule: string; jobs: number[]; n: number }>(
      patient,
      `select rule, (array_agg(job_id order by job_id))[1:5] as jobs, count(*)::int as n
       from (select rule, job_id from holdfast.violations limit 1000) v group by rule order by rule`,
    )
    return broken.map(({ rule, jobs, n }) => ({
      code: 'rule_broken',
      severity: 'problem' as const,
      sentence: `A rule of the engine is broken for ${n} jobs, such as ${jobs.join(', ')}: ${rule}.`,
      fix: `select * from ${patient.schema}.violations; -- no verb does this: what changed the tables by hand?`,
      data: { rule, jobs, count: n },
    }))
  },
}
