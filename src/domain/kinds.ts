/**
 * The defaults that a program declares for a kind of job (`defineJob`), as data. They are stored in the
 * database, so that they apply however a job is enqueued.
 */
import { invalidInput } from './errors/errors.js'
import { LIMITS } from './limits.js'

export interface DeclaredKind {
  readonly kind: string
  readonly queue: string
  readonly maxRetries?: number
  readonly timeoutMs?: number
  readonly priority?: number
  /** A template, see `fillTemplate`. */
  readonly key?: string
  readonly target?: string
  /** Fields of the input that are indexed for searches: `user.id`. */
  readonly search?: readonly string[]
  /** Which of `key` and `target` are functions of the program, which hold only for what the program enqueues itself. */
  readonly byProgram?: readonly ('key' | 'target')[]
}

const NAME = '(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+)'
const TEMPLATE = new RegExp(`^(?:[^{}]|\\{(?:${NAME}(?:\\.${NAME})*)?\\})+$`)

const PATH = new RegExp(`^${NAME}(?:\\.${NAME})*$`)

export function checkSearchPaths(paths: readonly string[], path: string): readonly string[] {
  const { min, hardMax } = LIMITS.searchPaths
  if (!Array.isArray(paths) || paths.length < min || paths.length > hardMax)
    throw invalidInput(path, `must be a list of ${min} to ${hardMax} fields of the input`, 'searchPaths')
  const wrong = paths.findIndex((each) => typeof each !== 'string' || each.length > 256 || !PATH.test(each))
  if (wrong !== -1) throw invalidInput(`${path}/${wrong}`, 'must be a field of the input, such as user.id')
  return paths
}

export function checkTemplate(template: string, path: string): string {
  const max = LIMITS.keyChars.default
  if (template.length > max) throw invalidInput(path, `must have at most ${max} characters`)
  if (TEMPLATE.test(template)) return template
  throw invalidInput(path, 'must be text in which {a.b} stands for that field of the input')
}

/**
 * `{a.b}` stands for that field of the input, `{}` for the input itself. Undefined where a field is missing or null. Only what every
 * language writes the same way can stand in a key: text, whole numbers, true and false.
 */
export function fillTemplate(template: string, input: unknown, path: string): string | undefined {
  let isMissing = false
  const filled = template.replace(/\{([^{}]*)\}/g, (_field, name: string) => {
    const value = name === '' ? input : fieldOf(input, name.split('.'))
    if (value === undefined || value === null) isMissing = true
    else if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value))
      return String(value)
    else throw invalidInput(path, `{${name}} of the input is no text, whole number, true or false`)
    return ''
  })
  return isMissing ? undefined : filled
}

function fieldOf(input: unknown, names: readonly string[]): unknown {
  let value = input
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
