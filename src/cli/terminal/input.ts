/** Reads the input of a job: JSON on the command line, from stdin (`-`) or from a file (`@file`). */
import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { isChanged, NUMBER_REFUSED, numbersIn } from '../../json/exact-numbers.js'
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

/** `argument` is where the text came from, as `readInput` takes it. */
export function parseInputs(text: string, lines: boolean, argument = ''): unknown[] {
  const pieces = lines ? text.split('\n') : [text]
  return pieces.flatMap((piece, n) => {
    if (lines && piece.trim() === '') return []
    const where = `The input${lines ? ` in line ${n + 1}` : ''}`
    const value = parsed(piece, where, argument)
    for (const token of numbersIn(piece))
      if (isChanged(token)) throw usageError(`${where} ${NUMBER_REFUSED}: ${token}.`, `Write "${token}".`)
    return [value]
  })
}

function parsed(text: string, where: string, argument: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(`${where} is not JSON: ${(error as Error).message}.`, remedyFor(argument))
  }
}

function remedyFor(argument: string): string {
  if (argument === '-') return 'Correct what is piped to stdin; with --lines each line is one JSON value.'
  if (argument.startsWith('@')) return `Correct the file ${argument.slice(1)}.`
  return `Put JSON in single quotes, like '{"to":"ada@example.org"}'.`
}
