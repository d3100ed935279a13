/** Every field of every route, read from the schemas of the contract, so that a new one is attacked without anybody thinking of it. */
import type { Route } from 'holdfast/server'
import type { z } from 'zod'

export type Where = 'path' | 'query' | 'header' | 'body' | 'request'

export interface Field {
  readonly route: Route
  readonly where: Where
  /** Steps into the part; elements of a list are 0. */
  readonly path: readonly (string | number)[]
  /** What the contract wants there, in zod's word. */
  readonly kind: string
}

interface Definition {
  readonly type: string
  readonly shape?: Record<string, z.ZodType>
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly in?: z.ZodType
  readonly out?: z.ZodType
}

/** What is wrong with the request as a whole; `field` is one of these where it is no field of the contract. */
export const WHOLE = [
  'a parameter that is not there',
  'a body that is not JSON',
  'a body that is not UTF-8',
  'a body of another media type',
  'a body with the key __proto__',
  'a key that is none',
  'a tenant that is none',
  'an address below it',
] as const
export type Whole = (typeof WHOLE)[number]

export function fieldsOf(route: Route): Field[] {
  const { params, query, headers, body } = route.endpoint
  const of = (where: Where, schema: z.ZodType | undefined) =>
    schema === undefined ? [] : [...walk(schema, [])].map((found) => ({ route, where, ...found }))
  return [
    ...of('path', params).filter(({ path }) => path.length > 0),
    ...of('query', query).filter(({ path }) => path.length > 0),
    ...of('header', headers).filter(({ path }) => path.length > 0),
    ...of('body', body),
    ...WHOLE.filter((name) => applies(name, route)).map(
      (name): Field => ({ route, where: 'request', path: [name], kind: 'whole' }),
    ),
  ]
}

function applies(name: Whole, { endpoint: { body, scope } }: Route): boolean {
  if (name === 'a key that is none' || name === 'a tenant that is none') return scope !== null
  return body !== undefined || !name.startsWith('a body')
}

function* walk(
  schema: z.ZodType,
  path: readonly (string | number)[],
): Generator<Pick<Field, 'path' | 'kind'>> {
  const { type, shape, element, innerType, valueType, options, in: from, out } = schema.def as Definition
  if (innerType !== undefined) yield* walk(innerType, path)
  else if (type === 'pipe')
    yield* walk((from as z.ZodType).def.type === 'transform' ? (out as z.ZodType) : (from as z.ZodType), path)
  else {
    yield { path, kind: type }
    if (shape !== undefined)
      for (const [name, below] of Object.entries(shape)) yield* walk(below, [...path, name])
    if (element !== undefined) yield* walk(element, [...path, 0])
    if (valueType !== undefined) yield* walk(valueType, [...path, 'any'])
    for (const option of options ?? []) {
      const below = [...walk(option, path)].filter((each) => each.path.length > path.length)
      yield* below
    }
  }
}

export function nameOf({ route, where, path }: Field): string {
  const { method, path: address } = route.endpoint
  return `${method} ${address} ${where}${where === 'request' ? `: ${path[0]}` : ` /${path.join('/')}`}`
}
