/** Defines a job: its kind, input, queue, retries and handler. */
import { invalidInput } from '../domain/errors/errors.js'
import { checkSearchPaths, checkTemplate } from '../domain/kinds.js'
import { refuseUnknown } from '../domain/nearest.js'
import { checkMaxRetries, checkName, checkPriority, checkTimeoutMs } from '../domain/validate.js'
import { checkObject } from './check-options.js'
import type { JobContext } from './context.js'
import type { StandardSchema } from './standard-schema.js'

export interface JobOptions<Kind extends string, Output> {
  /** The name of this kind of job, in the database and for people. Renaming it orphans the jobs that wait under the old one. */
  readonly kind: Kind
  /** The queue its jobs wait in; `default` if not given. */
  readonly queue?: string
  /** Retries after the first run, instead of the queue's. */
  readonly maxRetries?: number
  /** An attempt is aborted after this long. */
  readonly timeoutMs?: number
  /** 0 to 100; higher first. */
  readonly priority?: number
  /**
   * One live job per key and queue; a second enqueue answers with the first. As text it is a template, `customer:{id}` with `{id}` for that
   * field of the input, and holds however a job is enqueued. A function holds for what this program enqueues.
   */
  readonly key?: FromInput<Output>
  /** Jobs of one target run one after the other; a template or a function, like `key`. */
  readonly target?: FromInput<Output>
  /** Fields of the input that searches find at once, `['user.id']` for `input.user.id:42`. At most eight; each costs an enqueue one small row. */
  readonly search?: readonly string[]
}

/** As a method, so that a job of one input can stand where any job can. */
type FromInput<Output> = string | { of(input: Output): string | undefined }['of']

export type Handler<Output, Result> = (ctx: JobContext, input: Output) => Result | Promise<Result>

/** A job as `defineJob` gives it. */
export interface DefinedJob<
  Kind extends string = string,
  Input = unknown,
  Output = Input,
  Result = unknown,
  Queue extends string = string,
> extends JobOptions<Kind, Output> {
  /** Known to the type checker, so that a client that has only the types can be held to it. */
  readonly queue: Queue
  readonly input?: StandardSchema<unknown, Output>
  /** Where the handler runs: in this thread if not given. Elsewhere it is the URL of a module whose default export it is. */
  readonly isolate?: 'thread' | 'process'
  handler(ctx: JobContext, input: Output): Result | Promise<Result>
  /** The module of a handler that runs elsewhere. */
  readonly module?: string
  /** For the type checker; there is nothing at run time. */
  readonly '~types'?: { readonly input: Input; readonly output: Output; readonly result: Result }
}

/** What `enqueue` takes for a job. */
export type InputOf<J extends DefinedJob> = NonNullable<J['~types']>['input']
/** What its handler gets. */
export type OutputOf<J extends DefinedJob> = NonNullable<J['~types']>['output']
/** What its handler answers, as it is when it comes back from the database. */
export type ResultOf<J extends DefinedJob> = NonNullable<J['~types']>['result']

/** A function of this program; or a module of its own, whose result is given by hand: `isolate` needs a URL, and a URL has no type. */
type WhereItRuns<Output, Result> =
  | { readonly isolate?: undefined; readonly handler: Handler<Output, Result> }
  | { readonly isolate: 'thread' | 'process'; readonly handler: URL }

/**
 * With a schema, its types; without one, any JSON, with the type the handler says it has. One signature and no overloads: of several, the
 * compiler reports the last one, which is not where the mistake is.
 */
export function defineJob<
  const Kind extends string,
  Output,
  Result,
  Input = Output,
  const Queue extends string = string,
>(
  options: JobOptions<Kind, Output> & {
    readonly queue?: Queue
    readonly input?: StandardSchema<Input, Output> | undefined
  } & WhereItRuns<Output, Result>,
): DefinedJob<Kind, Input, Output, Awaited<Result>, Queue> {
  checkObject(options, '', "{ kind: 'welcome', handler: async (ctx, input) => {} }")
  const { handler, input, isolate, ...rest } = options as Anything
  refuseUnknown(options, FIELDS)
  checkName(options.kind, '/kind')
  checkName(options.queue ?? 'default', '/queue')
  if (options.maxRetries !== undefined) checkMaxRetries(options.maxRetries)
  if (options.timeoutMs !== undefined) checkTimeoutMs(options.timeoutMs)
  if (options.priority !== undefined) checkPriority(options.priority)
  checkRule(options.key, '/key')
  checkRule(options.target, '/target')
  if (options.search !== undefined) checkSearchPaths(options.search, '/search')
  if (input !== undefined && typeof input?.['~standard']?.validate !== 'function') {
    throw invalidInput(
      '/input',
      'must be a schema that follows Standard Schema, like one of zod, valibot or arktype',
    )
  }
  return Object.freeze({
    ...rest,
    queue: options.queue ?? 'default',
    ...(input === undefined ? {} : { input }),
    ...whereItRuns(handler, isolate),
  }) as unknown as DefinedJob<Kind, Input, Output, Awaited<Result>, Queue>
}

function checkRule(rule: unknown, path: string): void {
  if (typeof rule === 'string') checkTemplate(rule, path)
  else if (rule !== undefined && typeof rule !== 'function')
    throw invalidInput(path, "must be a template like 'customer:{id}', or a function of the input")
}

/** What is behind the types: any options at all. */
type Anything = JobOptions<string, unknown> & {
  readonly input?: StandardSchema | undefined
  readonly isolate?: 'thread' | 'process' | undefined
  readonly handler: Handler<unknown, unknown> | URL
}

function whereItRuns(
  handler: Handler<unknown, unknown> | URL,
  isolate: 'thread' | 'process' | undefined,
): Pick<DefinedJob, 'handler' | 'isolate' | 'module'> {
  if (isolate === undefined) {
    if (typeof handler === 'function') return { handler }
    throw invalidInput('/handler', 'must be a function; a URL needs isolate: thread or process')
  }
  if (!['thread', 'process'].includes(isolate)) throw invalidInput('/isolate', 'must be thread or process')
  if (!(handler instanceof URL)) {
    throw invalidInput(
      '/handler',
      `must be the URL of a module whose default export is the handler, as in new URL('./resize.js', import.meta.url): a function cannot be sent to another ${isolate}`,
    )
  }
  return {
    isolate,
    module: handler.href,
    handler: () => {
      throw invalidInput('/handler', `it runs in another ${isolate}`)
    },
  }
}

const FIELDS = [
  'kind',
  'queue',
  'input',
  'maxRetries',
  'timeoutMs',
  'priority',
  'key',
  'target',
  'search',
  'isolate',
  'handler',
]
