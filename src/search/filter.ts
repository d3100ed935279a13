/**
 * The search for jobs as data. `parse.ts` reads it from text, `print.ts` writes it back, the store compiles it to a query, and the
 * dashboard edits it. A filter is a list of terms; a job matches if every term matches. It is plain JSON, so it can be stored.
 *
 * This folder runs in browsers too: it imports nothing of Node and no zod.
 */

import { STATES } from '../domain/states/states.js'

export interface SearchFilter {
  readonly terms: readonly Term[]
}

export type Term = TextTerm | RangeTerm | KeywordTerm

/** One of the values: `queue:mail,sms`. `*` in a value stands for any characters, except in those of `error` and whole inputs. */
export interface TextTerm {
  readonly is: 'text'
  readonly field: TextField
  /** Of `label` and `input`: ["user", "id"]. An `input` without a path is the whole payload. */
  readonly path?: readonly string[]
  readonly not: boolean
  readonly values: readonly string[]
}

/** Between two bounds: `attempts>=3`, `created:2026-11-01..`. Ages are in ms, times in ISO 8601 and UTC, long numbers text. */
export interface RangeTerm {
  readonly is: 'range'
  readonly field: RangeField
  /** Of `input`. */
  readonly path?: readonly string[]
  readonly not: boolean
  readonly from?: Bound
  readonly to?: Bound
}

export interface Bound {
  readonly value: number | string
  readonly inclusive: boolean
}

/** Text without a field: an id, a key, a target, a trace, a worker, a kind or a queue. */
export interface KeywordTerm {
  readonly is: 'keyword'
  readonly keyword: string
}

type TextField =
  | 'state'
  | 'queue'
  | 'kind'
  | 'key'
  | 'target'
  | 'worker'
  | 'version'
  | 'id'
  | 'trace'
  | 'label'
  | 'input'
  | 'error'
type RangeField = 'id' | 'age' | 'attempts' | 'priority' | 'created' | 'finished' | 'input'
export type SearchFieldName = TextField | RangeField

/** What stands after the field. */
export type ValueType = 'choice' | 'name' | 'id' | 'contains' | 'json' | 'duration' | 'number' | 'time'

export interface SearchField {
  readonly name: SearchFieldName
  readonly type: ValueType
  /** Needs a path: `label.team`. `input` may have one. */
  readonly path?: 'needed' | 'possible'
  readonly choices?: readonly string[]
  readonly summary: string
  readonly example: string
}

export const FIELDS: readonly SearchField[] = [
  {
    name: 'state',
    type: 'choice',
    choices: STATES,
    summary: 'the state of the job',
    example: 'state:failed,parked',
  },
  { name: 'queue', type: 'name', summary: 'the name of its queue', example: 'queue:mail' },
  { name: 'kind', type: 'name', summary: 'its kind', example: 'kind:charge-*' },
  { name: 'key', type: 'name', summary: 'its deduplication key', example: 'key:order-42' },
  { name: 'target', type: 'name', summary: 'its target', example: 'target:customer-7' },
  {
    name: 'worker',
    type: 'name',
    summary: 'runs the job now, or ran an attempt',
    example: 'worker:web-1',
  },
  {
    name: 'version',
    type: 'name',
    summary: 'the version of a worker that runs it now, or ran an attempt',
    example: 'version:1.4.2',
  },
  { name: 'id', type: 'id', summary: 'its id, several or a range', example: 'id:18231' },
  {
    name: 'trace',
    type: 'name',
    summary: 'its trace id',
    example: 'trace:4bf92f3577b34da6a3ce929d0e0e4736',
  },
  { name: 'label', type: 'name', path: 'needed', summary: 'one of its labels', example: 'label.team:core' },
  {
    name: 'input',
    type: 'json',
    path: 'possible',
    summary: 'a field of its input, or text anywhere in it',
    example: 'input.user.id:42',
  },
  {
    name: 'error',
    type: 'contains',
    summary: 'part of the message, the class or the fingerprint of an error',
    example: 'error:"timeout"',
  },
  { name: 'age', type: 'duration', summary: 'the time since it was created', example: 'age>1h' },
  { name: 'attempts', type: 'number', summary: 'the number of its attempts', example: 'attempts>=3' },
  { name: 'priority', type: 'number', summary: 'its priority', example: 'priority>50' },
  { name: 'created', type: 'time', summary: 'when it was created', example: 'created:2026-11-01..' },
  { name: 'finished', type: 'time', summary: 'when it ended', example: 'finished:2026-11-01' },
]

const BY_NAME = new Map<string, SearchField>(FIELDS.map((field) => [field.name, field]))

export function fieldNamed(name: string): SearchField | undefined {
  return BY_NAME.get(name)
}

/** `input.user.id`: the field of a term as it is written. */
export function writtenField({ field, path }: { field: string; path?: readonly string[] }): string {
  return path === undefined ? field : `${field}.${path.join('.')}`
}
