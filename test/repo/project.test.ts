// The files of the project on GitHub: they are YAML that parses, call scripts that exist, and cover the versions that are supported.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { scripts, engines } = JSON.parse(read('package.json'))

const files = ['.github', 'deploy'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    // Templates are YAML only when rendered: deploy.test.ts does that.
    .filter((name) => /\.ya?ml$/.test(name) && !name.includes('/templates/')),
)

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
function contentOf(file: string): any {
  const [document, ...more] = parseAllDocuments(read(file), { merge: true, uniqueKeys: true })
  if (document === undefined) throw new Error(`${file} is empty`)
  expect([document.errors, document.warnings, more]).toEqual([[], [], []])
  return document.toJS()
}

it.each(files)('%s is one YAML document without an error or a warning', (file) => {
  expect(contentOf(file)).toBeTypeOf('object')
})

describe.each(['ci', 'release'])('the workflow %s', (name) => {
  const { jobs, permissions } = contentOf(`.github/workflows/${name}.yml`)
  const steps = Object.values<{ steps: { run?: string; uses?: string }[] }>(jobs).flatMap((job) => job.steps)

  it('calls only scripts that exist', () => {
    const called = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm (?:run ([\w:]+)|(test)\b)/g)])
    const names = called.map(([, script, test]) => script ?? test)
    expect(names.length).toBeGreaterThan(2)
    expect(names.filter((script) => scripts[script ?? ''] === undefined)).toEqual([])
  })

  it('may only read the repository unless a job asks for more, and has a time limit for each job', () => {
    expect(permissions).toEqual({ contents: 'read' })
    for (const job of Object.values<{ 'timeout-minutes': number }>(jobs))
      expect(job['timeout-minutes']).toBeGreaterThan(0)
  })
})

it('CI covers the oldest Node that is supported and every Postgres of the test matrix', () => {
  const { jobs } = contentOf('.github/workflows/ci.yml')
  const { node, postgres } = jobs.postgres.strategy.matrix
  expect(node).toEqual([engines.node.replace('>=', ''), '22', '24'])
  expect(jobs.test.strategy.matrix.node).toEqual(node)
  const versions = [...read('scripts/test-matrix.js').matchAll(/^ {2}(\d+): '/gm)].map(([, major]) => major)
  expect(postgres).toEqual(versions)
})

it('a release has provenance, and is refused unless tag, version and changelog agree', () => {
  const { jobs } = contentOf('.github/workflows/release.yml')
  expect(jobs.publish.permissions['id-token']).toBe('write')
  const text = read('.github/workflows/release.yml')
  expect(text).toContain('npm publish --provenance')
  expect(text).toContain('test "$TAG" = "v$version"')
  expect(text).toContain('"## [$version]" CHANGELOG.md')
})

it.each(['bug', 'feature'])('the form for a %s has what GitHub requires', (name) => {
  const form = contentOf(`.github/ISSUE_TEMPLATE/${name}.yml`)
  expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
  const inputs = form.body.filter(({ type }: { type: string }) => type !== 'markdown')
  const ids = inputs.map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(inputs.length)
  for (const { attributes } of inputs) expect(attributes.label).toMatch(/\S/)
})
