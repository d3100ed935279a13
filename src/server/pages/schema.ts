/** The parts of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

export type Shapes = Readonly<Record<string, Schema>>

/** `#/components/schemas/Job` → `Job`. */
export function shapeName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** Follows a reference and drops "or null". */
export function resolved(schema: Schema, shapes: Shapes): Schema {
  if (schema.$ref !== undefined) return resolved(shapes[shapeName(schema.$ref)] ?? {}, shapes)
  const rest = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  const [only] = rest
  return only !== undefined && rest.length === 1 ? resolved(only, shapes) : schema
}
