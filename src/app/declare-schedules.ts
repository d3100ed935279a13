/**
 * Synchronises the schedules that a program declares with the database at every start: creates missing ones,
 * updates those whose declaration changed, and keeps fields that operators changed at run time. A schedule
 * that the program no longer declares stays, because other programs declare theirs in the same database;
 * delete or disable it by its name. A database role that may only work skips all of this.
 */
import { type HoldfastError, invalidInput } from '../domain/errors/errors.js'
import type { NewSchedule } from '../domain/schedule/definition.js'
import type { JsonInput } from '../json/json-input.js'
import type { Store } from '../store/store.js'
import { checkNewInput } from './check-input.js'
import type { DefinedJob, InputOf } from './define-job.js'

/** A schedule by its job's definition, which brings kind and queue and says what goes in, or by their names. */
export type ScheduleDeclaration<J extends DefinedJob = DefinedJob> = Omit<NewSchedule, 'kind' | 'input'> &
  (
    | ({ readonly job: J; readonly kind?: undefined } & InputField<InputOf<J>>)
    | { readonly kind: string; readonly job?: undefined; readonly input?: unknown }
  )

type InputField<Input> = undefined extends Input
  ? { readonly input?: JsonInput<Input> }
  : { readonly input: JsonInput<Input> }

/** A schedule of a module of jobs, with its input held to the type of its job; in `holdfast({ schedules })` that is so by itself. */
export function defineSchedule<J extends DefinedJob>(
  declaration: ScheduleDeclaration<J>,
): ScheduleDeclaration<J> {
  return declaration
}

const BY = { actor: 'holdfast()', reason: 'declared by the program' } as const

export async function declareSchedules(
  { schedules }: Store,
  declared: readonly ScheduleDeclaration[],
  tenant = 'default',
  jobs: ReadonlyMap<string, DefinedJob> = new Map(),
): Promise<void> {
  const names = new Set<string>()
  for (const [index, declaration] of declared.entries()) {
    const { job, kind, ...rest } = declaration
    if (names.has(rest.name))
      throw invalidInput(`/schedules/${index}/name`, `there are two schedules named "${rest.name}"`)
    names.add(rest.name)
    if (job === undefined && kind === undefined)
      throw invalidInput(`/schedules/${index}/job`, 'must be a job made with defineJob; or give its `kind`')
    // Refused here, at the start, and not at the first firing in the night.
    const known = job ?? jobs.get(kind as string)
    const { output } = await checkNewInput(known?.input, rest.input, `/schedules/${index}/input`)
    const kindAndQueue =
      job === undefined ? { kind: kind as string } : { kind: job.kind, queue: rest.queue ?? job.queue }
    const rules = known === undefined ? {} : byFunction(known, output)
    await schedules.declare({ ...rules, ...rest, ...kindAndQueue }, { ...BY, tenant }).catch(leave)
  }
}

/** The database cannot call functions, and the input of a schedule is known here; the rest it knows by the kind. */
function byFunction({ key, target }: DefinedJob, output: unknown): Partial<NewSchedule> {
  return {
    key: typeof key === 'function' ? (key(output) ?? null) : null,
    target: typeof target === 'function' ? (target(output) ?? null) : null,
  }
}

function leave(error: HoldfastError): void {
  if (error.code !== 'forbidden') throw error
}
