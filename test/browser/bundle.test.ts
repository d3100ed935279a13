/** What a browser loads before the first page is useful: the document, its script with what it imports at once, and its style sheets. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url))
const kB = 1_000
const FIRST_PAGE_BYTES_MAX = 100 * kB
const SCRIPT_BYTES_MAX = 60 * kB

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

function manifest(): Record<string, Chunk> {
  const file = `${folder}.vite/manifest.json`
  if (!existsSync(file)) throw new Error('The dashboard is not built: run `npm run build`.')
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Of the entry: its files, and those of the chunks it imports at once. */
function firstFiles(chunks: Record<string, Chunk>): string[] {
  const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry)
  if (entry === undefined) throw new Error('the manifest has no entry')
  const files = new Set<string>()
  const add = (name: string) => {
    const chunk = chunks[name]
    if (chunk === undefined || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const file of chunk.css ?? []) files.add(file)
    for (const each of chunk.imports ?? []) add(each)
  }
  add(entry)
  return [...files]
}

const gzipped = (file: string) => gzipSync(readFileSync(`${folder}${file}`), { level: 9 }).length
const sum = (files: readonly string[]) => files.reduce((total, file) => total + gzipped(file), 0)

it('the first useful page is at most 100 kB gzipped, and at most 60 kB of it is script', () => {
  const files = ['index.html', ...firstFiles(manifest())]
  const scripts = files.filter((file) => file.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(0)
  expect(sum(scripts), `script: ${scripts.join(', ')}`).toBeLessThanOrEqual(SCRIPT_BYTES_MAX)
  expect(sum(files), files.join(', ')).toBeLessThanOrEqual(FIRST_PAGE_BYTES_MAX)
})

it('charts are loaded when the first one is shown', () => {
  const first = firstFiles(manifest()).filter((file) => file.endsWith('.js'))
  const hasCharts = (file: string) => readFileSync(`${folder}${file}`, 'utf8').includes('u-legend')
  const all = readdirSync(`${folder}assets`).flatMap((name) =>
    name.endsWith('.js') ? [`assets/${name}`] : [],
  )
  expect(all.filter(hasCharts)).toHaveLength(1)
  expect(first.filter(hasCharts)).toEqual([])
})

it('names carry a hash, and nothing points to another server', () => {
  const html = readFileSync(`${folder}index.html`, 'utf8')
  for (const file of firstFiles(manifest())) expect(file).toMatch(/^assets\/[\w-]+-[\w-]{8}\.(js|css)$/)
  expect([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/^(https?:)?\/\//)]),
  )
})
