// `npm run example`: the list, names, options; and what examples may rest on.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const EXAMPLES = join(ROOT, 'examples')
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/example.js', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}
const names = readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, 'start.ts')))

it('without a name it lists every example with a sentence, and the options', () => {
  const { status, stdout } = run()
  expect(status).toBe(0)
  expect(names).toContain('lead-harvester')
  for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S.{20,}\\.$`, 'm'))
  for (const option of ['port', 'speed', 'chaos', 'keep', 'out', 'exit'])
    expect(stdout).toContain(`--${option}`)
})

it('an unknown name is refused with the nearest one', () => {
  const { status, stderr } = run('lead-harvster')
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr:
      'There is no example "lead-harvster". Did you mean "lead-harvester"?\nList them with: npm run example\n',
  })
  expect(run('zzzzzzzzzz').stderr).toBe(
    'There is no example "zzzzzzzzzz".\nList them with: npm run example\n',
  )
})

it.each([
  [['--port', '65536'], '--port is a number from 0 to 65535, not 65536\n'],
  [['--port', '-1'], /--port/],
  [['--port', '1.5'], '--port is a whole number, not 1.5\n'],
  [['--speed', '0'], '--speed is a number from 0.1 to 1000, not 0\n'],
  [['--speed', '1001'], '--speed is a number from 0.1 to 1000, not 1001\n'],
  [['--chaos', 'x'], '--chaos is a number from 0 to 4294967295, not x\n'],
  [['--fast'], /Unknown option '--fast'[\s\S]*Usage:/],
])('%j is refused before anything is started', (args, message) => {
  const { status, stdout, stderr } = run('lead-harvester', ...args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  if (typeof message === 'string') expect(stderr).toBe(message)
  else expect(stderr).toMatch(message)
})

it('every example has a page with a picture, what to watch and what to kill', () => {
  for (const name of names) {
    const page = readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8')
    expect(page, name).toContain(`npm run example -- ${name}`)
    expect(page, name).toMatch(/^## What to watch$/m)
    expect(page, name).toMatch(/^## What to kill$/m)
    const pictures = [...page.matchAll(/<img src="([^"]+)"|!\[[^\]]*\]\(([^)]+)\)/g)].map(
      ([, tag, mark]) => tag ?? mark ?? '',
    )
    expect(pictures.length, name).toBeGreaterThan(0)
    for (const picture of pictures)
      expect(existsSync(join(EXAMPLES, name, picture)), `${name}: ${picture}`).toBe(true)
  }
})

it('examples import only what a user of the package can', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const packages = new Set([...Object.keys({ ...dependencies, ...devDependencies }), 'holdfast'])
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('dist/'),
  )
  const others = files.flatMap((file) =>
    [...readFileSync(join(EXAMPLES, file), 'utf8').matchAll(/\b(?:from|import) \(?'([^']+)'/g)]
      .map(([, from = '']) => from)
      .filter((from) => {
        if (from.startsWith('node:') || /^\.\/[\w-]+\.js$/.test(from)) return false
        if (/^\.\.\/(support\/)?[\w-]+\.js$/.test(from)) return false
        return !packages.has(from.split('/', from.startsWith('@') ? 2 : 1).join('/'))
      })
      .map((from) => `${file} imports ${from}`),
  )
  expect(files.length).toBeGreaterThan(10)
  expect(others).toEqual([])
})
