/**
 * Types that a client infers from your definitions: kinds, inputs, results and queues. Import the definitions with `import type`, so that
 * no handler is bundled.
 */
import type { AsJson } from '../json/as-json.js'

/** The part of a `defineJob` result that a client uses. */
export interface JobDefinition {
  readonly kind: string
  readonly queue: string
  readonly '~types'?: { readonly input: unknown; readonly output: unknown; readonly result: unknown }
}

/** A list of definitions, an object of them, or the type of a module; other exports are ignored. */
export type Definitions = readonly unknown[] | object

type JobsIn<T> = T extends JobDefinition
  ? T
  : T extends readonly (infer Each)[]
    ? Extract<Each, JobDefinition>
    : T extends object
      ? { [Name in keyof T]: T[Name] extends JobDefinition ? T[Name] : JobsInList<T[Name]> }[keyof T]
      : never

type JobsInList<T> = T extends readonly (infer Each)[] ? Extract<Each, JobDefinition> : never

export type KindOf<D extends Definitions> = JobsIn<D>['kind']
type JobOf<D extends Definitions, K extends string> = Named<JobsIn<D>, K>
/** Also if a kind is any text. */
type Named<J extends JobDefinition, K extends string> = J extends unknown
  ? K extends J['kind']
    ? J
    : never
  : never

type TypesOf<J extends JobDefinition> = NonNullable<J['~types']>
export type Input<D extends Definitions, K extends string> = TypesOf<JobOf<D, K>>['input']
export type Result<D extends Definitions, K extends string> = AsJson<TypesOf<JobOf<D, K>>['result']>

/** The queues of kinds that do not use `default`. A client has only types, so the names must be given, and are checked by type. */
export type KindQueues<D extends Definitions> = {
  readonly [J in JobsIn<D> as string extends J['queue']
    ? never
    : J['queue'] extends 'default'
      ? never
      : J['kind']]: J['queue']
}
