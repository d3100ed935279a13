/** Checks of the installation: versions of workers, partitions for new jobs, upkeep, invariants. */
import { isLater } from '../database/migrate.js'
import { PACKAGE_VERSION } from '../database/package.js'
import { type Check, type Finding, type Patient, queryOne, rows } from './finding.js'

export const workerCheck: Check = {
  name: 'workers',
  title: 'which version the workers run',
  async run(patient) {
    const found = await rows<{ version: string; workers: string[] }>(
      patient,
      'select version, array_agg(distinct worker order by worker) as workers from holdfast.workers where alive group by version',
    )
    return found
      .filter(({ version }) => RELEASE.test(version) && isLater(PACKAGE_VERSION, version))
      .map(oldWorkers)
  },
}

/** A worker in another language may have other version numbers, or none. */
const RELEASE = /^\d+\.\d+\.\d+/

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
    const facts = await queryOne<RoomFacts>(
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
  if (room >= limits.freeRangeShare * width) return []
  return [
    {
      code: 'room_short',
      severity: room <= 0 ? 'problem' : 'warning',
      sentence: `There is room for ${Math.max(0, room)} more jobs: upkeep has not created the next range. Enqueue will create it, and wait for it.`,
      fix: `select ${schema}.make_partitions(4);`,
      data: { room, width },
    },
  ]
}

export interface ChoreFacts {
  readonly name: string
  /** Seconds since its last pass. */
  readonly idleSec: number
  /** Its interval in seconds. */
  readonly everySec: number
  /** The intervals changed since, so the next pass may be later. */
  readonly changed: boolean
  /** The error of the last pass, if it failed. */
  readonly error: string | null
}

export interface UpkeepFacts {
  readonly chores: readonly ChoreFacts[]
  /** Whether a job was ever enqueued. */
  readonly jobs: boolean
}

/** As processes have reported. A server crash loses these reports, so the mark of the aging chore counts as well. */
const CHORES = `select c.name, min(extract(epoch from holdfast.now() - c.at))::float8 as "idleSec", max(c.sec)::float8 as "everySec", max(c.error) as error,
    (max(c.at) < (select max(s.updated_at) from holdfast.setting s where s.name ~ '_EVERY_|_INTERVAL_')) is true as changed
  from (
    select r.name, r.last_run_at, r.every_ms / 1000.0, r.error from holdfast.chore_run r
    union all
    select m.name, m.last_run_at, holdfast.setting_number('AGE_EVERY_SEC'), null from holdfast.chore m where m.name = 'age') c (name, at, sec, error)
  group by c.name order by c.name`

export const upkeepCheck: Check = {
  name: 'upkeep',
  title: 'whether upkeep is awake',
  async run(patient) {
    const chores = await rows<ChoreFacts>(patient, CHORES)
    const { jobs } = await queryOne<{ jobs: boolean }>(
      patient,
      'select is_called as jobs from holdfast.job_id_seq',
    )
    return judgeUpkeep({ chores, jobs }, patient)
  },
}

/** A database that never had a job needs no upkeep. */
export function judgeUpkeep({ chores, jobs }: UpkeepFacts, { limits }: Pick<Patient, 'limits'>): Finding[] {
  const late = chores.filter(
    ({ idleSec, everySec }) => idleSec > limits.upkeepPasses * everySec + limits.upkeepReportSec,
  )
  if (late.length === chores.length) return chores.length > 0 || jobs ? [asleep(late)] : []
  const overdue = late.filter(({ changed }) => !changed)
  const failing = chores.filter((chore) => chore.error !== null && !late.includes(chore)).map(choreFailing)
  return overdue.length === 0 ? failing : [choresLate(overdue), ...failing]
}

const START_ONE =
  'Start a worker or a server; each runs upkeep, if its role may: holdfast worker <module>, holdfast server'

function asleep(chores: readonly ChoreFacts[]): Finding {
  const idleSec = chores.length === 0 ? null : Math.min(...chores.map((chore) => chore.idleSec))
  return {
    code: 'upkeep_asleep',
    severity: 'warning',
    sentence: `Upkeep ${idleSec === null ? 'has never run' : `last ran ${Math.round(idleSec)} s ago`}: waiting jobs are not aged, new ranges are not created and old jobs are not dropped.`,
    fix: START_ONE,
    data: { idleSec },
  }
}

function choresLate(late: readonly ChoreFacts[]): Finding {
  const each = late.map(({ name, idleSec }) => `${name} (${Math.round(idleSec)} s ago)`).join(', ')
  return {
    code: 'chore_late',
    severity: 'warning',
    sentence: `Upkeep runs, but some chores are overdue: ${each}.`,
    fix: `holdfast upkeep run ${late[0]?.name}  # reports the cause. ${START_ONE}`,
    data: { chores: late.map(({ name }) => name) },
  }
}

function choreFailing({ name, error }: ChoreFacts): Finding {
  return {
    code: 'chore_failing',
    severity: 'warning',
    sentence: `The last pass of the chore ${name} failed: ${error}`,
    fix: `Fix the cause of the error; then: holdfast upkeep run ${name}`,
    data: { chore: name, error },
  }
}

/** Scans whole tables, so only on request. */
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
      sentence: `An invariant is violated for ${n} jobs, such as ${jobs.join(', ')}: ${rule}.`,
      fix: `select * from ${patient.schema}.violations; -- no verb does this: what changed the tables by hand?`,
      data: { rule, jobs, count: n },
    }))
  },
}
