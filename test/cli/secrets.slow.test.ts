// No secret is printed, and what it means that a key was made is.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isSecret, KEY_NAMES } from '../../src/config/keys.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

const SECRET = 'hunter2hunter2hunter2'

it('6.15 config print shows no secret, wherever it stands', async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, 'holdfast.toml'), `[metrics]\ntoken = "${SECRET}-token"\n`)
  const env = {
    DATABASE_URL: `postgres://me:${SECRET}%40x@127.0.0.1:1/db?sslmode=disable&sslpassword=${SECRET}&x-token=${SECRET}#${SECRET}`,
    HOLDFAST_DATABASE_WAIT_SECONDS: '0',
    HOLDFAST_ADMIN_KEY: `hf_${SECRET}`,
    AWS_ENDPOINT_URL_SQS: `https://me:${SECRET}@sqs.example.com/?api_key=${SECRET}`,
    HOLDFAST_SQS_QUEUE_URL: `https://me:${SECRET}@sqs.example.com/1/jobs?signature=${SECRET}`,
  }
  for (const args of [
    ['config', 'print'],
    ['config', 'print', '--json'],
    ['config', 'print', '--url', env.DATABASE_URL],
  ]) {
    const { stdout, stderr, code } = await holdfast(args, { cwd, env })
    expect(code, stderr).toBe(0)
    expect(stdout + stderr).not.toContain('hunter2')
    // What tells people which one it is stays.
    expect(stdout).toContain('127.0.0.1:1/db?sslmode=disable')
    expect(stdout).toContain('sqs.example.com/1/jobs')
    expect(stdout).toMatch(/admin_key\W.*\*\*\*/)
  }
})

it('6.15 every key of the configuration that can hold a secret is marked as one', () => {
  const telling = KEY_NAMES.filter((name) => /key$|token|secret|password/i.test(name))
  expect(telling).toEqual(['server.admin_key', 'metrics.token'])
  expect(KEY_NAMES.filter(isSecret)).toEqual(['database.url', ...telling])
})

it('6.15 keys says what it means that one was made', async () => {
  const store = await freshStore()
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema }
  const run = (...args: string[]) => holdfast(['keys', ...args], { env })
  expect((await run('list')).stdout).toContain(
    'No key was ever created: servers accept requests from this machine without a key',
  )
  const first = await run('create', 'first', '--scope', 'read')
  expect(first.stderr).toContain('from now on every server of this database requires a key')
  const second = await run('create', 'second', '--scope', 'read')
  expect(second.stderr).not.toContain('from now on')
  expect((await run('revoke', '1')).stderr).toBe('')
  expect((await run('revoke', '2')).stderr).toContain(
    'No valid key is left, and servers of this database still require one',
  )
  expect((await run('list')).stderr).toContain('No valid key is left')
  // As upkeep does in the end.
  await store.database.query('delete from holdfast.api_key')
  expect((await run('list')).stdout).toMatch(
    /^No key\. Since one was created at 20.*every server of this database requires a key/,
  )
})
