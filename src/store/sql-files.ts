/** The SQL files of the package: tables by numbered migrations, functions and views as they should stand now. */
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
export function migrations(): Migration[] {
  return filesIn('migrations').map(({ name, text }, index) => {
    const version = Number(name.slice(0, 4))
    if (version !== index + 1) throw new Error(`sql/migrations: ${name} should have number ${index + 1}`)
    return { version, name: name.slice(0, -'.sql'.length), text }
  })
}

/** The number of the last one, without reading them. */
export function latestMigration(): number {
  return namesIn('migrations').length
}

export interface Code {
  readonly text: string
  readonly hash: string
}

/** Functions before views, because a view is bound to its functions when it is made. */
export function code(): Code {
  const text = ['internal', 'verbs', 'views']
    .flatMap((folder) => filesIn(folder).map((file) => file.text))
    .join('\n')
  return { text, hash: createHash('sha256').update(text).digest('hex') }
}

/** The text between the dollars of each function, by name, as a database keeps it. */
export function functionBodies(): Map<string, string> {
  const functions = /create or replace function holdfast\.(\w+)\b[\s\S]*?\nas \$\$([\s\S]*?)\$\$;/g
  return new Map(
    [...code().text.matchAll(functions)].map(([, name, body]) => [name as string, body as string]),
  )
}

function filesIn(folder: string): { name: string; text: string }[] {
  return namesIn(folder).map((name) => ({ name, text: readFileSync(`${dirOf(folder)}${name}`, 'utf8') }))
}

function namesIn(folder: string): string[] {
  return readdirSync(dirOf(folder))
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

const dirOf = (folder: string) => fileURLToPath(new URL(`${folder}/`, root))
