/**
 * The SQL files of the package: tables by numbered migrations, functions and views as they should stand now. Each is read once: they do not
 * change while a program runs.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../sql/', import.meta.url)

export interface Migration {
  readonly version: number
  readonly name: string
  readonly text: string
}

/** In order; numbers without gaps, so that "how far" is one number. */
export const migrations = once((): readonly Migration[] =>
  filesIn('migrations').map(({ name, text }, index) => {
    const version = Number(name.slice(0, 4))
    if (version !== index + 1) throw new Error(`sql/migrations: ${name} should have number ${index + 1}`)
    return { version, name: name.slice(0, -'.sql'.length), text }
  }),
)

/** The number of the last one, without reading them. */
export function latestMigration(): number {
  return namesIn('migrations').length
}

export interface Code {
  readonly text: string
  readonly hash: string
}

/** Functions before their pins, and before views, because a view is bound to its functions when it is created. */
export const code = once((): Code => {
  const text = [...textsIn('functions'), pins(), ...textsIn('views')].join('\n')
  return { text, hash: createHash('sha256').update(text).digest('hex') }
})

/** The planner settings of all functions. Replacing a function drops its own, so this script has to follow. */
export function pins(): string {
  return readFileSync(new URL('pins.sql', root), 'utf8')
}

export interface SqlFunction {
  /** The whole statement that creates it. */
  readonly text: string
  /** What stands between the dollars, which is what a database keeps. */
  readonly body: string
}

/** Every function by its name. */
export const sqlFunctions = once((): ReadonlyMap<string, SqlFunction> => {
  const functions = /create or replace function holdfast\.(\w+)\b[\s\S]*?\nas \$\$([\s\S]*?)\$\$;/g
  return new Map(
    [...code().text.matchAll(functions)].map(([text, name = '', body = '']) => [name, { text, body }]),
  )
})

function once<T>(read: () => T): () => T {
  let known: T | undefined
  return () => {
    known ??= read()
    return known
  }
}

const textsIn = (folder: string) => filesIn(folder).map((file) => file.text)

function filesIn(folder: string): { name: string; text: string }[] {
  return namesIn(folder).map((name) => ({ name, text: readFileSync(`${dirOf(folder)}${name}`, 'utf8') }))
}

/** Paths below the folder, in a fixed order on every system. */
function namesIn(folder: string): string[] {
  return readdirSync(dirOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
}

const dirOf = (folder: string) => fileURLToPath(new URL(`${folder}/`, root))
