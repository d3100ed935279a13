// Modules that `holdfast worker` cannot use. Each row is a process of its own, because it imports the module as Node does.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { moduleFolder } from '../support/cli/long-running.js'
import { holdfast } from './run-holdfast.js'

const NOWHERE = { DATABASE_URL: 'postgres://me@127.0.0.1:1/none', HOLDFAST_DATABASE_WAIT_SECONDS: '0' }

async function worker(...modules: string[]) {
  const cwd = moduleFolder()
  writeFileSync(join(cwd, 'plain.mjs'), 'export const answer = 42')
  writeFileSync(join(cwd, 'syntax.mjs'), '\n\nexport const = 1')
  writeFileSync(join(cwd, 'throws.mjs'), 'throw new Error("no mail server")')
  writeFileSync(join(cwd, 'missing.mjs'), 'import "no-such-package"')
  writeFileSync(join(cwd, 'schedules.mjs'), 'export * from "./jobs.mjs"\nexport const schedules = {}')
  const { code, stderr } = await holdfast(['worker', ...modules], { cwd, env: NOWHERE })
  expect(stderr).not.toMatch(/\n\s+at |node:internal/)
  return `${code} ${stderr}`
}

it.each([
  ['plain.mjs', /^78 .*plain\.mjs exports no job\.\ndo {5}Export what defineJob returns/],
  [
    'syntax.mjs',
    /^78 .*syntax\.mjs failed: .*\ndo {5}Correct the syntax .*`node syntax\.mjs` shows the line/,
  ],
  ['throws.mjs', /^78 .*failed: no mail server\ndo {5}Fix the module .* thrown at file:.*throws\.mjs:1/],
  ['missing.mjs', /^78 .*Cannot find package 'no-such-package'.*\ndo {5}Fix the module and start again/],
  ['schedules.mjs', /^78 .*`schedules` of schedules\.mjs is not a list\.\ndo {5}Export a list/],
])('holdfast worker %s', async (module, said) => {
  expect(await worker(module)).toMatch(said)
})

it('a module that is given twice counts once: the next mistake is reported', async () => {
  expect(await worker('jobs.mjs', 'jobs.mjs')).toMatch(/^69 error {2}The database cannot be reached/)
})
