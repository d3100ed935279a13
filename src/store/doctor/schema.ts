/** The schema is the one this package installs, and the roles, where there are any, know all of it. */
import { type MigrationStatus, migrationStatus } from '../migrate.js'
import { sealOf } from '../roles.js'
import { drift } from './drift.js'
import type { Check, Finding, Patient } from './finding.js'

const MIGRATE = 'holdfast migrate up'

export const schemaCheck: Check = {
  name: 'schema',
  title: 'the schema against what this version installs',
  async run(patient) {
    const status = await migrationStatus(patient.database, patient.schema)
    const found = judgeVersion(status)
    if (found !== undefined) return [found]
    // The picture is of our own text; a later package's functions have another.
    const changes = status.functions === 'newer' ? [functionsNewer(patient)] : await drift(patient)
    const seal = await sealOf(patient.database, patient.schema)
    return seal === undefined || seal.current ? changes : [...changes, ROLES_STALE]
  },
}

function judgeVersion({ schema, version, latest, pending, functions }: MigrationStatus): Finding | undefined {
  const data = { schema, version, latest, pending, functions }
  const problem = { severity: 'problem', data } as const
  if (version === 0)
    return {
      ...problem,
      code: 'schema_missing',
      sentence: `Holdfast is not in this database: there is no schema ${schema} of ours.`,
      fix: MIGRATE,
    }
  if (version > latest)
    return {
      ...problem,
      code: 'schema_ahead',
      sentence: `The schema is at version ${version} and this program knows ${latest}: it refuses to work here.`,
      fix: 'Use a later version of holdfast.',
    }
  if (version < latest || functions === 'stale' || functions === 'missing')
    return {
      ...problem,
      code: 'schema_behind',
      sentence: `The schema is behind this program: version ${version} of ${latest}, functions ${functions}.`,
      fix: MIGRATE,
    }
  return undefined
}

function functionsNewer({ schema }: Patient): Finding {
  return {
    code: 'functions_newer',
    severity: 'note',
    sentence:
      'The functions are of a later version than this program, which works with them but cannot tell whether they are whole.',
    fix: 'Run doctor of the later version.',
    data: { schema },
  }
}

const ROLES_STALE: Finding = {
  code: 'roles_stale',
  severity: 'problem',
  sentence:
    'The roles of the database are of another version: what is new may be open to everybody, or closed to those who need it.',
  fix: MIGRATE,
  data: {},
}
