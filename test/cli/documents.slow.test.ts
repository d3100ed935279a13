import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { countLeases } from '../support/leases.js'
import { verbs } from '../support/sql.js'
import { Copies, inDatabase } from '../support/template.js'
import { postgresUrl } from '../support/world.js'
import { checkedIn, documents, type Example, examplesIn, ROOT } from './documents.js'

/** In the repository, so that `holdfast` is found as in the tests; a folder that git does not see. */
const EXAMPLES = join(ROOT, '.holdfast', 'documents')

const withExamples = (language: 'ts' | 'sql') =>
  documents().filter((document) => examplesIn(document).some((example) => example.language === language))

/** All TypeScript of a document is one program, so that a later block can go on with what an earlier one made. */
function fileOf(document: string): string {
  return join(EXAMPLES, `${document.replace(/\W+/g, '-')}.ts`)
}

describe('TypeScript in the documents', () => {
  beforeAll(() => {
    mkdirSync(EXAMPLES, { recursive: true })
    for (const document of withExamples('ts')) {
      const blocks = examplesIn(document).filter(({ language }) => language === 'ts')
      writeFileSync(fileOf(document), `${blocks.map(({ code }) => code).join('\n')}\nexport {}\n`)
    }
    for (const document of documents()) {
      const code = checkedIn(document)
      if (code !== '') writeFileSync(fileOf(`check-${document}`), `${code}\nexport {}\n`)
    }
    writeFileSync(
      join(EXAMPLES, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }),
    )
  })
  afterAll(() => rmSync(EXAMPLES, { recursive: true, force: true }))

  it('passes the strict type check', async () => {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
    const { stdout } = await promisify(execFile)(tsc, ['-p', EXAMPLES, '--noEmit']).catch((error) => error)
    expect(stdout).toBe('')
  })

  it.each(withExamples('ts'))('%s runs and prints what it says it prints', async (document) => {
    const printed: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((...values) => {
      printed.push(format(...values).trimEnd())
    })
    onTestFinished(() => log.mockRestore())
    await import(/* @vite-ignore */ fileOf(document))
    const shown = examplesIn(document).filter(({ language }) => language === 'ts')
    expect(printed.join('\n')).toBe(
      shown
        .map(({ output }) => output ?? '')
        .join('')
        .trimEnd(),
    )
  })
})

describe('SQL in the documents', () => {
  it.each(withExamples('sql'))(
    '%s runs from top to bottom and answers what it says it answers',
    async (document) => {
      const client = await newDatabase(`docs_${document.replace(/\W+/g, '_').toLowerCase()}`)
      for (const example of examplesIn(document).filter(({ language }) => language === 'sql')) {
        const answer = await answerTo(client, example.code)
        const expected = example.output === undefined ? answer : normal(example.output)
        expect(answer, `${document}:${example.line}`).toBe(expected)
        if (example.output === undefined) expect(answer, `${document}:${example.line}`).not.toContain('ERROR')
      }
    },
  )
})

describe('docs/sql.md', () => {
  it.each(verbs())('describes the verb %s', (verb) => {
    expect(readFileSync(join(ROOT, 'docs', 'sql.md'), 'utf8')).toContain(`**\`${verb}(`)
  })
})

/** An empty database with the schema under its usual name, so that the examples stand as they are pasted into psql. */
async function newDatabase(name: string): Promise<pg.Client> {
  const copies = new Copies(postgresUrl())
  await copies.make(name, 'usual')
  const client = new pg.Client({ connectionString: inDatabase(postgresUrl(), name) })
  await client.connect()
  await countLeases({ script: async (text) => void (await client.query(text)) })
  onTestFinished(async () => {
    await client.end()
    await copies.drop(name)
    await copies.close()
  })
  return client
}

/** Values as the server writes them and psql prints them. */
const AS_TEXT = { getTypeParser: () => String } as unknown as pg.CustomTypesConfig

async function answerTo(client: pg.Client, code: Example['code']): Promise<string> {
  try {
    const answered = await client.query({ text: code, rowMode: 'array', types: AS_TEXT })
    const last = ([] as pg.QueryArrayResult[]).concat(answered).findLast(({ fields }) => fields.length > 0)
    if (last === undefined) return ''
    const rows = [last.fields.map(({ name }) => name), ...(last.rows as unknown[][])]
    return rows.map((row) => row.map((value) => value ?? '').join(' | ')).join('\n')
  } catch (error) {
    const { message, detail } = error as pg.DatabaseError
    return [`ERROR:  ${message}`, ...(detail ? [`DETAIL:  ${detail}`] : [])].map(tidy).join('\n')
  }
}

/** psql's padding, rules and row counts are for the eye. */
function normal(output: string): string {
  const lines = output.trimEnd().split('\n')
  return lines
    .filter((line) => !/^[-+]+$/.test(line) && !/^\(\d+ rows?\)$/.test(line))
    .map((line) => (line.startsWith('ERROR') || line.startsWith('DETAIL') ? tidy(line) : cells(line)))
    .join('\n')
}

const tidy = (line: string) => line.replace(/\s+/g, ' ')
const cells = (line: string) =>
  line
    .split('|')
    .map((cell) => cell.trim())
    .join(' | ')
