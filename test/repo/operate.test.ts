// The pages of docs/operate name settings, commands, flags, metrics, findings and tables. Each of them has to exist, and each measured number
// has to be in docs/benchmarks.md, which is written from the results.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { KEY_NAMES } from '../../src/config/keys.js'
import { SETTING_NAMES } from '../../src/domain/settings.js'
import { holdfast } from '../cli/run-holdfast.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = readdirSync(join(root, 'docs/operate')).map((name) => ({
  name,
  text: read(`docs/operate/${name}`),
}))

const SECTIONS = new Set(KEY_NAMES.map((key) => key.split('.')[0]))

/** The parts in backticks that fit. */
const named = (text: string, pattern: RegExp) =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code).filter((code) => pattern.test(code))

describe.each(pages)('docs/operate/$name', ({ text }) => {
  it('names keys of the configuration, settings and variables that exist', () => {
    const keys = named(text, /^[a-z]+\.[a-z_]+( = \w+)?$/).map((key) => key.replace(/ = .*/, ''))
    for (const key of keys.filter((each) => SECTIONS.has(each.split('.')[0] ?? '')))
      expect(KEY_NAMES).toContain(key)
    for (const name of named(text, /^[A-Z][A-Z_]+_(DAYS|SEC|SECONDS|MS|MIN)$/))
      expect(SETTING_NAMES).toContain(name)
    expect(text).toMatch(/^# [A-Za-z]/)
  })

  it('names commands that exist, with flags that they have', async () => {
    for (const code of named(text, /^holdfast [a-z]/)) {
      const words = code.split(' ').slice(1)
      const path = words.slice(
        0,
        words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith('-')),
      )
      const command = (path.length > 0 ? path : words).slice(0, 2)
      const { code: exit, stdout } = await holdfast([...command, '--help'], { ownProcess: false })
      expect(exit, code).toBe(0)
      for (const flag of words.filter((word) => word.startsWith('--'))) expect(stdout, code).toContain(flag)
    }
    expect(text).not.toContain('TODO')
  })

  it('names metrics, findings of doctor and options of tables that exist', () => {
    const metrics = read('docs/metrics.md')
    const roles = read('sql/roles.sql')
    for (const name of named(text, /^holdfast_[a-z_]+$/))
      expect(metrics.includes(`\`${name}\``) || roles.includes(name.replace('holdfast_', '_')), name).toBe(
        true,
      )
    const schema = read('sql/schema.sql')
    for (const option of named(text, /^(autovacuum|vacuum)_[a-z_]+=\w+$/)) expect(schema).toContain(option)
    for (const finding of named(text, /^(not_durable|connections_short|transaction_open|pooler_\w+)$/))
      expect(read('docs/doctor.md')).toContain(`\`${finding}\``)
    expect(text.split('\n').filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([])
  })
})

it('the numbers of sizing.md are those of the benchmarks', () => {
  const measured = read('docs/benchmarks.md')
  const rows = [...read('docs/operate/sizing.md').matchAll(/^\| .+$/gm)].map(([row]) => row)
  const numbers = rows.flatMap((row) => row.match(/\d+,\d{3} (?=bytes|a second|to )|\d+ (?=µs|bytes)/g) ?? [])
  expect(numbers.length).toBeGreaterThan(10)
  for (const number of numbers) expect(measured, number).toContain(number.trim())
})

it('the tables of postgres.md have the vacuum settings that the schema gives them', () => {
  const schema = read('sql/schema.sql')
  const rows = [
    ...read('docs/operate/postgres.md').matchAll(/^\| ((?:`[a-z]+`(?:, )?)+) \| .+ \| (.+) \|$/gm),
  ]
  const vacuumed = rows.filter(([, , options]) => options?.includes('autovacuum'))
  expect(vacuumed.length).toBe(4)
  for (const [, tables = '', options = ''] of vacuumed)
    for (const table of named(tables, /./)) {
      const text = schema.slice(schema.indexOf(`create table holdfast.${table} (`))
      const line = text.slice(0, text.indexOf(';'))
      for (const option of [...named(options, /./), 'vacuum_truncate=false'])
        expect(line, table).toContain(option)
    }
})
