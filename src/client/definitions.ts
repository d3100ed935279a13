/**
 * What the types of your definitions tell a client: which kinds there are, what goes in, what comes out, and in which queue they wait.
 * Import them with `import type`: nothing of your handlers comes along.
 */
import type { AsJson } from '../domain/as-json.js'

/** What `defineJob` gives, as far as a client has to know. */
export interface JobDefinition {
  readonly kind: string
  readonly queue: string
  readonly '~types'?: { readonly input: unknown; readonly output: unknown; readonly result: unknown }
}

/** A list of jobs, an object of them, or the type of a whole module: what is no job in it does not matter. */
export type Definitions = readonly unknown[] | object

type JobsIn<T> = T extends JobDefinition
  ? T
  : T extends readonly (infer Each)[]
    ? Extract<Each, JobDefinition>
    : T extends object
      ? { [Name in keyof T]: T[Name] extends JobDefinition ? T[Name] : JobsInList<T[Name]> }[keyof T]
      : never

type JobsInList<T> = T extends readonly (infer Each)[] ? Extract<Each, JobDefinition> : never

export type Kind<D extends Definitions> = JobsIn<D>['kind']
type JobOf<D extends Definitions, K extends string> = Named<JobsIn<D>, K>
/** Also where kinds are any text. */
type Named<J extends JobDefinition, K extends string> = J extends unknown
  ? K extends J['kind']
    ? J
    : never
  : never

type TypesOf<J extends JobDefinition> = NonNullable<J['~types']>
export type Input<D extends Definitions, K extends string> = TypesOf<JobOf<D, K>>['input']
export type Result<D extends Definitions, K extends string> = AsJson<TypesOf<JobOf<D, K>>['result']>

/** The queues of those kinds that do not wait in `default`: a client has only their types, so it has to be told, and is held to them. */
export type Queues<D extends Definitions> = {
  readonly [J in JobsIn<D> as string extends J['queue']
    ? never
    : J['queue'] extends 'default'
      ? never
      : J['kind']]: J['queue']
}
