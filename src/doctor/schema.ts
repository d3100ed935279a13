/** Checks that the schema is the one this package installs, and that the roles match it. */
import { type MigrationStatus, migrationStatus } from '../database/migrate.js'
import { rolesInstalled } from '../database/roles.js'
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
    // The comparison uses this package's text; functions of a later package have another.
    const changes = status.functions === 'newer' ? [functionsNewer(patient)] : await drift(patient)
    const seal = await rolesInstalled(patient.database, patient.schema)
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
      sentence: `Holdfast is not installed in this database: the schema ${schema} is missing or not ours.`,
      fix: MIGRATE,
    }
  if (version > latest)
    return {
      ...problem,
      code: 'schema_ahead',
      sentence: `The schema is at version ${version} and this program knows ${latest}: it refuses to run here.`,
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
      'The functions are of a later version than this program, which works with them but cannot verify them.',
    fix: 'Run doctor of the later version.',
    data: { schema },
  }
}

const ROLES_STALE: Finding = {
  code: 'roles_stale',
  severity: 'problem',
  sentence:
    'The roles of the database are of another version: new functions may be open to every role, or closed to those that need them.',
  fix: MIGRATE,
  data: {},
}
