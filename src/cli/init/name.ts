/** The name of a new app: a name that npm accepts, given or made from the folder. */
import { basename } from 'node:path'
import { usageError } from '../flags.js'

const PATTERN = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/
const LENGTH_MAX = 214
/** npm refuses these. It also refuses a package that depends on one of its own name. */
const RESERVED = ['node_modules', 'favicon.ico', 'holdfast']

export function appName(given: string | undefined, folder: string): string {
  if (given === undefined) return nameOfFolder(folder)
  const problem = problemOf(given)
  if (problem !== undefined)
    throw usageError(`"${given}" ${problem}.`, 'Give another, for example --name my-app.')
  return given
}

function nameOfFolder(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
  const problem = problemOf(name)
  if (problem === undefined) return name
  throw usageError(
    `The folder "${basename(folder) || folder}" gives no name for the app: "${name}" ${problem}.`,
    'Give the name with --name, for example --name my-app.',
  )
}

function problemOf(name: string): string | undefined {
  if (RESERVED.includes(name)) return 'is a name that npm reserves, or that of a package which the app needs'
  if (name.length > LENGTH_MAX) return `is longer than ${LENGTH_MAX} characters`
  if (PATTERN.test(name)) return undefined
  return 'is not a name for npm: use lower-case letters, digits, "-", "." and "_", and start with a letter or digit'
}

/** Docker Compose allows fewer characters than npm. */
export function projectName(name: string): string {
  return name.replace(/^@/, '').replace(/[^a-z0-9_-]/g, '-')
}
