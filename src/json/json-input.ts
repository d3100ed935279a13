/**
 * The type of an input. A part that JSON cannot represent becomes a sentence, which the compiler shows as the
 * error.
 */
export type JsonInput<T> = unknown extends T
  ? T
  : T extends Date
    ? 'A Date becomes text in JSON: pass text, and let the schema make a Date of it'
    : T extends bigint | symbol | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
      ? 'JSON does not have this: pass text, a number, an array or a plain object'
      : T extends object
        ? { [Key in keyof T]: JsonInput<T[Key]> }
        : T

/** The input may be left out where its type allows that. */
export type InputAndOptions<Input, Options> = undefined extends Input
  ? [input?: JsonInput<Input>, options?: Options]
  : [input: JsonInput<Input>, options?: Options]
