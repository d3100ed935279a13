/**
 * Compares a database with what this package installs: tables, indexes and signatures with sql/schema.sql, which was read from a database too;
 * function bodies with their files. View definitions are omitted, because every version of Postgres prints them differently.
 */
import { readFileSync } from 'node:fs'
import { describeSchema } from '../database/describe.js'
import { inSchema } from '../database/schema.js'
import { sqlFunctions } from '../database/sql-files.js'
import { type Finding, type Patient, rows } from './finding.js'

const PICTURE = new URL('../../sql/schema.sql', import.meta.url)

/** Of PICTURE, read once: the files of the package do not change while it runs. */
let pictured: Map<string, Set<string>> | undefined

/** Objects that roles.sql adds to the schema. */
const OF_THE_ROLES = new Set(['create table holdfast.lease (: tenants text[]'])

export async function drift(patient: Patient): Promise<Finding[]> {
  pictured ??= objectsOf(readFileSync(PICTURE, 'utf8'))
  const found = objectsOf(await describeSchema(patient.database, patient.schema))
  const findings: Finding[] = []
  for (const [name, lines] of pictured) {
    const there = found.get(name)
    if (there === undefined) findings.push(missingObject(patient, name))
    else findings.push(...compareLines(patient, name, lines, there))
  }
  return [...findings, ...(await changedBodies(patient))]
}

/** The lines of each object by its first line, without trailing commas. */
function objectsOf(picture: string): Map<string, Set<string>> {
  const objects = picture.split('\n\n').filter((text) => text.startsWith('create '))
  return new Map(
    objects.map((text) => {
      const lines = text.split('\n').map((line) => line.trim().replace(/,$/, ''))
      return [lines[0] as string, new Set(lines)]
    }),
  )
}

function missingObject(patient: Patient, line: string): Finding {
  const what = qualifiedName(patient, line)
  return {
    code: 'schema_drift',
    severity: 'problem',
    sentence: `The ${what} is missing or declared differently.`,
    fix: line.includes('function') ? REINSTALL(patient) : RESTORE,
    data: { object: what },
  }
}

const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON /

function compareLines(patient: Patient, name: string, wanted: Set<string>, found: Set<string>): Finding[] {
  const what = qualifiedName(patient, name)
  const lacks = [...wanted].filter((line) => !found.has(line))
  const extra = [...found].filter((line) => !wanted.has(line) && !OF_THE_ROLES.has(`${name}: ${line}`))
  const indexes = lacks.filter((line) => INDEX.test(line))
  const others = lacks.filter((line) => !INDEX.test(line) && !/^\)/.test(line))
  const options = lacks.some((line) => /^\)/.test(line))
  const findings = indexes.map((line) => missingIndex(patient, line))
  if (others.length > 0 || options)
    findings.push({
      code: 'schema_drift',
      severity: name.includes('table') && others.length === 0 ? 'warning' : 'problem',
      sentence: `The ${what} differs from the installed version: ${firstFew(others.length > 0 ? others : ['its options differ'])}.`,
      fix: name.startsWith('create function') ? REINSTALL(patient) : RESTORE,
      data: { object: what, missing: lacks, found: extra },
    })
  else if (extra.length > 0)
    findings.push({
      code: 'schema_additions',
      severity: 'note',
      sentence: `The ${what} has additions that this version does not install: ${firstFew(extra)}.`,
      fix: 'Nothing, if you added it on purpose; an extra index slows every job down.',
      data: { object: what, found: extra },
    })
  return findings
}

function missingIndex({ schema }: Patient, line: string): Finding {
  const index = INDEX.exec(line)?.[1] as string
  // A partitioned table does not support a concurrent build; its partitions are small enough.
  const concurrently = !/ ON holdfast\.(job|attempt) /.test(line)
  return {
    code: 'index_missing',
    severity: 'problem',
    sentence: `The index ${index} is missing: its queries read whole tables.`,
    fix: inSchema(concurrently ? line.replace(' INDEX ', ' INDEX CONCURRENTLY ') : line, schema),
    data: { index },
  }
}

async function changedBodies(patient: Patient): Promise<Finding[]> {
  const found = await rows<{ name: string; body: string }>(
    patient,
    `select p.proname as name, p.prosrc as body from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname = $1`,
    [patient.schema],
  )
  const wanted = sqlFunctions()
  const changed = found.filter(({ name, body }) => {
    const installed = wanted.get(name)
    return installed !== undefined && inSchema(installed.body, patient.schema) !== body
  })
  if (changed.length === 0) return []
  const names = changed.map(({ name }) => name).sort()
  return [
    {
      code: 'function_changed',
      severity: 'problem',
      sentence: `The text of ${names.length === 1 ? 'a function was' : `${names.length} functions was`} changed in the database: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`,
      fix: REINSTALL(patient),
      data: { functions: names },
    },
  ]
}

const REINSTALL = ({ schema }: Patient) =>
  `delete from ${schema}.code; -- then, to install them again: holdfast migrate up`
const RESTORE =
  'Compare with sql/schema.sql of the package, and change the table by hand; a migration is applied only once.'

function qualifiedName({ schema }: Patient, line: string): string {
  const parts = /^create (?:unlogged )?(\w+) holdfast\.(\w+)/.exec(line)
  return `${parts?.[1]} ${schema}.${parts?.[2]}`
}

function firstFew(lines: readonly string[]): string {
  return `${lines.slice(0, 3).join('; ')}${lines.length > 3 ? '; …' : ''}`
}
