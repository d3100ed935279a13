/** Reads the input of a job: JSON on the command line, from stdin (`-`) or from a file (`@file`). */
import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { usageError } from '../flags.js'

export async function readInput(argument: string | undefined): Promise<string> {
  if (argument === undefined) return 'null'
  if (argument === '-') return readAll(process.stdin)
  if (!argument.startsWith('@')) return argument
  try {
    return readFileSync(argument.slice(1), 'utf8')
  } catch (error) {
    throw usageError(
      `Cannot read ${argument.slice(1)}: ${(error as Error).message}.`,
      'Check the path after the @.',
    )
  }
}

export function parseInputs(text: string, lines: boolean): unknown[] {
  const pieces = lines ? text.split('\n').filter((line) => line.trim() !== '') : [text]
  return pieces.map((piece, n) => {
    try {
      return JSON.parse(piece) as unknown
    } catch (error) {
      throw usageError(
        `The input${lines ? ` in line ${n + 1}` : ''} is not JSON: ${(error as Error).message}.`,
        `Put JSON in single quotes, like '{"to":"ada@example.org"}'.`,
      )
    }
  })
}
