// The document of the API as strangers use it: a linter and a generator of clients, both from npm.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateApi } from 'swagger-typescript-api'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'

const KEY = 'an-admin-key-of-the-test'

async function documentIn() {
  const { url, call } = await serve(await freshStore(), { adminKey: KEY })
  const { body: document } = await call('GET', '/openapi.json')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-openapi-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  return { url, folder, file, document }
}

/** Its command line; the rules are its recommended ones. */
function lint(file: string, cwd: string): Promise<{ code: number; problems: object[] }> {
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve('@redocly/cli/package.json'))
  const main = join(folder, require('@redocly/cli/package.json').bin.redocly)
  const env = {
    ...process.env,
    NODE_NO_WARNINGS: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  return new Promise((resolve) => {
    const args = [
      main,
      'lint',
      file,
      '--extends',
      'recommended',
      '--format',
      'json',
      '--max-problems',
      '1000',
    ]
    execFile(process.execPath, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const { problems = [{ message: stderr }] } = JSON.parse(stdout || '{}')
      resolve({ code: error === null ? 0 : Number(error.code), problems })
    })
  })
}

it('a linter from npm has nothing to say against it', async () => {
  const { file, folder, document } = await documentIn()
  expect(await lint(file, folder)).toEqual({ code: 0, problems: [] })
  // It would have something to say if there were something.
  const worse = join(folder, 'worse.json')
  const paths = { ...document.paths, '/jobs/{nobody}': { get: { responses: {} } } }
  writeFileSync(worse, JSON.stringify({ ...document, paths }))
  expect((await lint(worse, folder)).problems).not.toEqual([])
})

it('a client made from it by a generator from npm makes a job, gets it, lists it and cancels it', async () => {
  const { url, folder, file } = await documentIn()
  await generateApi({
    input: file,
    output: folder,
    fileName: 'made.ts',
    httpClientType: 'fetch',
    silent: true,
  })
  const { Api } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'made.ts')).href)
  const { api } = new Api({ baseUrl: url, baseApiParams: { headers: { authorization: `Bearer ${KEY}` } } })
  const { data: made } = await api.createJob({ queue: 'mail', kind: 'welcome', input: { to: 'ada' } })
  expect(made).toEqual({ id: expect.any(Number), deduplicated: false })
  expect((await api.getJob(made.id)).data).toMatchObject({ state: 'queued', input: { to: 'ada' } })
  expect((await api.listJobs({ queue: 'mail' })).data.jobs).toMatchObject([{ id: made.id }])
  expect((await api.cancelJob(made.id, { reason: 'not needed' })).data).toMatchObject({ result: 'canceled' })
  expect((await api.getJob(made.id)).data).toMatchObject({ state: 'canceled', reason: 'not needed' })
  await expect(api.getJob(999_999)).rejects.toMatchObject({ status: 404, error: { code: 'unknown_job' } })
})
