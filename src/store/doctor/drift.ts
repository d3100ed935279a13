/**
 * Whether a database has what this package installs: its tables, indexes and signatures against sql/schema.sql, which is read back from a database
 * as well; the bodies of functions against their files. The text of views is left out, because every version of Postgres prints it its own way.
 */
import { readFileSync } from 'node:fs'
import { describeSchema } from '../describe.js'
import { inSchema } from '../schema.js'
import { functionBodies } from '../sql-files.js'
import { type Finding, type Patient, rows } from './finding.js'

const PICTURE = new URL('../../../sql/schema.sql', import.meta.url)

/** What the roles add to the schema by themselves. */
const OF_THE_ROLES = new Set(['create table holdfast.lease (: tenants text[]'])

export async function drift(patient: Patient): Promise<Finding[]> {
  const wanted = objectsOf(readFileSync(PICTURE, 'utf8'))
  const found = objectsOf(await describeSchema(patient.database, patient.schema))
  const findings: Finding[] = []
  for (const [name, lines] of wanted) {
    const there = found.get(name)
    if (there === undefined) findings.push(missingObject(patient, name))
    else findings.push(...compareLines(patient, name, lines, there))
  }
  return [...findings, ...(await changedBodies(patient))]
}

/** Each object by its first line, with its lines; a comma at the end of a line says nothing but that another follows. */
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
  const what = named(patient, line)
  return {
    code: 'schema_drift',
    severity: 'problem',
    sentence: `There is no ${what}, or it is declared in another way.`,
    fix: line.includes('function') ? REINSTALL(patient) : RESTORE,
    data: { object: what },
  }
}

const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON /

function compareLines(patient: Patient, name: string, wanted: Set<string>, found: Set<string>): Finding[] {
  const what = named(patient, name)
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
      sentence: `The ${what} is not as it was installed: ${shown(others.length > 0 ? others : ['its options differ'])}.`,
      fix: name.startsWith('create function') ? REINSTALL(patient) : RESTORE,
      data: { object: what, missing: lacks, found: extra },
    })
  else if (extra.length > 0)
    findings.push({
      code: 'schema_additions',
      severity: 'note',
      sentence: `The ${what} has what this version did not put there: ${shown(extra)}.`,
      fix: 'Nothing, if it is yours and meant; an index costs every job that passes.',
      data: { object: what, found: extra },
    })
  return findings
}

function missingIndex({ schema }: Patient, line: string): Finding {
  const index = INDEX.exec(line)?.[1] as string
  // A partitioned table takes no concurrent build; its parts are small enough.
  const concurrently = !/ ON holdfast\.(job|attempt) /.test(line)
  return {
    code: 'index_missing',
    severity: 'problem',
    sentence: `The index ${index} is missing: what it is there for reads whole tables.`,
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
  const wanted = functionBodies()
  const changed = found.filter(({ name, body }) => {
    const ours = wanted.get(name)
    return ours !== undefined && inSchema(ours, patient.schema) !== body
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
  'Compare with sql/schema.sql of the package, and bring the table to it by hand; migrations are only ever applied once.'

function named({ schema }: Patient, line: string): string {
  const words = /^create (?:unlogged )?(\w+) holdfast\.(\w+)/.exec(line)
  return `${words?.[1]} ${schema}.${words?.[2]}`
}

function shown(lines: readonly string[]): string {
  return `${lines.slice(0, 3).join('; ')}${lines.length > 3 ? '; …' : ''}`
}
