/**
 * Requests with one thing wrong, or two. A request is right but for what is put into it, so that it comes past the door and is refused for
 * that. The contract itself says whether it is malformed; what it lets through is sent as well, and may be answered in any way but by an
 * error of ours.
 */
import type { Route } from 'holdfast/server'
import type { z } from 'zod'
import type { Random } from '../../chaos/random.js'
import { SAMPLES, type Sample, type Subject } from '../samples.js'
import type { Field, Whole } from './fields.js'
import { strangeText, strangeValue } from './strange-values.js'

export interface Attack {
  readonly field: Field
  /** The contract refuses it, so the answer has to be 4xx. */
  readonly malformed: boolean
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

interface Parts {
  readonly params: Record<string, unknown>
  readonly query: Record<string, string>
  readonly headers: Record<string, string>
  body: unknown
}

/** A wait that is allowed is waited out: it would only cost time. */
const WAITS = /^(wait_ms|wait_sec|for_sec)$/

/** `more`: other fields of the same route, one of which may be wrong as well. Undefined: nothing that could be sent came of it. */
export function attackOn(
  field: Field,
  more: readonly Field[],
  subject: Subject,
  random: Random,
): Attack | undefined {
  const { route } = field
  const parts = partsOf(route, subject)
  if (field.where === 'request') return wholeAttack(field, parts, random)
  spoil(parts, field, random)
  const other = random.chance(0.2) ? random.pick(more) : field
  if (other !== field && other.where !== 'request') spoil(parts, other, random)
  const malformed = isMalformed(route, parts)
  if (!malformed && [field, other].some(({ path }) => WAITS.test(String(path.at(-1))))) return undefined
  return attack(field, parts, malformed)
}

function partsOf({ name, endpoint }: Route, subject: Subject): Parts {
  const sample: Sample = SAMPLES[name]?.(subject) ?? {}
  return {
    params: Object.fromEntries(
      Object.entries(sample.params ?? {}).map(([key, value]) => [key, String(value)]),
    ),
    query: Object.fromEntries(new URLSearchParams(sample.query ?? '')),
    headers: {},
    body: endpoint.body === undefined ? undefined : structuredClone(sample.body),
  }
}

function spoil(parts: Parts, { where, path }: Field, random: Random): void {
  const [name = ''] = path.map(String)
  if (where === 'path') parts.params[name] = asStep(strangeText(random))
  else if (where === 'query') parts.query[name] = sayable(strangeText(random))
  // A header takes no control characters, and what is past Latin-1 cannot be sent at all.
  else if (where === 'header')
    parts.headers[name] = strangeText(random).replace(/[^\x20-\x7e\xa0-\xff]/g, '?')
  else parts.body = withValue(parts.body, path, strangeValue(random))
}

function withValue(root: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value
  const isThere = typeof root === 'object' && root !== null
  if (typeof step === 'number') {
    const list = Array.isArray(root) ? [...root] : []
    list[step] = withValue(list[step], rest, value)
    return list
  }
  const fields = isThere ? (root as Record<string, unknown>) : {}
  return { ...fields, [step]: withValue(fields[step], rest, value) }
}

function isMalformed({ endpoint }: Route, { params, query, headers, body }: Parts): boolean {
  // As it arrives: JSON has no undefined, and −0 is 0.
  const sent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body))
  const trimmed = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, text.trim()]))
  const fails = (schema: z.ZodType | undefined, value: unknown) =>
    schema !== undefined && !schema.safeParse(value).success
  return (
    fails(endpoint.params, params) ||
    fails(endpoint.query, query) ||
    fails(endpoint.headers, trimmed) ||
    fails(endpoint.body, sent)
  )
}

function attack(
  { route, ...field }: Field,
  { params, query, headers, body }: Parts,
  malformed: boolean,
): Attack | undefined {
  const path = route.endpoint.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const search = Object.entries(query).map(
    ([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`,
  )
  const url = search.length === 0 ? path : `${path}?${search.join('&')}`
  // Past what a client may send of headers it would be about that.
  if (url.length > 8_000) return undefined
  return {
    field: { route, ...field },
    malformed,
    method: route.endpoint.method,
    url,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

/** Half a surrogate pair cannot be said in an address. */
function sayable(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** An empty step would be another address. */
function asStep(text: string): string {
  return sayable(text) || ' '
}

function wholeAttack(field: Field, parts: Parts, random: Random): Attack | undefined {
  const right = attack(field, parts, true)
  if (right === undefined) return undefined
  const json = { 'content-type': 'application/json' }
  const text = JSON.stringify(parts.body ?? {})
  const withQuery = (query: string) => `${right.url}${right.url.includes('?') ? '&' : '?'}${query}`
  const made: Record<Whole, () => Partial<Attack>> = {
    'a parameter that is not there': () => ({
      url: withQuery(`no_such_${random.whole(1, 99)}=${encodeURIComponent(sayable(strangeText(random)))}`),
    }),
    'a body that is not JSON': () => ({
      headers: json,
      body: random.pick([
        text.slice(0, -1),
        `${text},`,
        '{',
        'undefined',
        "{'a': 1}",
        `${text}${text}`,
        '\u0000',
        '[1,]',
      ]),
    }),
    'a body that is not UTF-8': () => ({
      headers: json,
      body: Buffer.from([0x22, 0xff, 0xfe, random.whole(128, 255), 0x22]),
    }),
    'a body of another media type': () => ({
      headers: {
        'content-type': random.pick([
          'text/plain',
          'application/xml',
          'multipart/form-data',
          'application/jsonx',
          ';',
        ]),
      },
      body: text,
    }),
    'a body with the key __proto__': () => ({
      headers: json,
      body: `{"__proto__": {"admin": true}, "x": ${random.whole(0, 9)}}`,
    }),
    'a key that is none': () => ({
      headers: {
        ...right.headers,
        authorization: random.pick([
          'Bearer',
          'Bearer hf_nobody',
          'Basic eDp5',
          'hf_x',
          `Bearer ${'x'.repeat(300)}`,
        ]),
      },
    }),
    'a tenant that is none': () => ({
      headers: {
        ...right.headers,
        'holdfast-tenant': random.pick(['', ' ', 'a b', '%', 'x'.repeat(101), "'"]),
      },
    }),
    'an address below it': () => ({
      url: `${right.url.split('?', 1)[0]}/${random.pick(['x', '%00', '%20', '%2e%2e', 'x'.repeat(600), '%'])}`,
    }),
  }
  return { ...right, ...made[field.path[0] as Whole]() }
}
