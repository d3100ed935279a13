/**
 * The type of a value after a round trip through JSON: the type of `handle.result()` for the type that the
 * handler returns.
 */
export type AsJson<T> = unknown extends T
  ? unknown
  : T extends string | number | boolean | null
    ? T
    : T extends { toJSON(...args: never[]): infer Written }
      ? AsJson<Written>
      : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the result null
        T extends undefined | void
        ? null
        : T extends bigint | symbol | ((...args: never[]) => unknown)
          ? never
          : T extends readonly unknown[]
            ? { [Index in keyof T]: AsJson<T[Index]> }
            : T extends object
              ? ObjectAsJson<T>
              : never

/** Functions and symbols are left out, and so is what is undefined: a field that may be undefined may be missing. */
type ObjectAsJson<T> = Flat<
  { [Key in keyof T as undefined extends T[Key] ? never : KeptKey<Key, T[Key]>]: AsJson<T[Key]> } & {
    [Key in keyof T as undefined extends T[Key] ? KeptKey<Key, Exclude<T[Key], undefined>> : never]?: AsJson<
      Exclude<T[Key], undefined>
    >
  }
>

type KeptKey<Key, Value> = Key extends symbol ? never : [AsJson<Value>] extends [never] ? never : Key

/** As people read it in their editor. */
type Flat<T> = T extends unknown ? { [Key in keyof T]: T[Key] } : never
