/** The input of a job as people give it: JSON on the command line, from stdin or from a file. */
import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { usageError } from './flags.js'

export async function readInput(written: string | undefined): Promise<string> {
  if (written === undefined) return 'null'
  if (written === '-') return readAll(process.stdin)
  if (!written.startsWith('@')) return written
  try {
    return readFileSync(written.slice(1), 'utf8')
  } catch (error) {
    throw usageError(
      `${written.slice(1)} cannot be read: ${(error as Error).message}.`,
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
        `Write text in double quotes inside single ones, like '{"to":"ada@example.org"}'.`,
      )
    }
  })
}
