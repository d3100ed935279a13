/** The code blocks of the documents. ```ts run and ```sql run are run; ```text output after one is what it must print. ```ts check is only compiled. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Example {
  readonly language: 'ts' | 'sql'
  readonly line: number
  readonly code: string
  /** Undefined when the document shows no output. */
  readonly output: string | undefined
}

export function documents(): string[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  return [...readdirSync(ROOT), ...docs.map((name) => join('docs', name))]
    .filter((name) => name.endsWith('.md'))
    .sort()
}

export function examplesIn(document: string): Example[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const fence = /^```(ts|sql|text) (run|output)\n([\s\S]*?)^```$/gm
  const examples: Example[] = []
  for (const { 1: language, 2: role, 3: code = '', index } of text.matchAll(fence)) {
    const line = text.slice(0, index).split('\n').length
    const last = examples.at(-1)
    if (role === 'run' && language !== 'text') {
      examples.push({ language: language as 'ts' | 'sql', line, code, output: undefined })
    } else if (last && last.output === undefined) {
      examples[examples.length - 1] = { ...last, output: code }
    } else {
      throw new Error(`${document}:${line}: this output belongs to no example`)
    }
  }
  return examples
}

/** The blocks of a document that need a database or a service of the reader's: together one program, which is compiled and not run. */
export function checkedIn(document: string): string {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/^```ts check\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n')
}
