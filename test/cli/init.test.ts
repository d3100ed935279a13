// `holdfast init` writes files and never overwrites one; that the app runs is in init.slow.test.ts.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { emptyFolder, holdfast } from './run-holdfast.js'

const TEMPLATE = new URL('../../templates/app/', import.meta.url)
const FILES = [
  ...['.dockerignore', '.env.example', '.gitignore', 'Dockerfile', 'README.md', 'compose.yaml'],
  ...['package.json', 'src/jobs.ts', 'src/mail.ts', 'src/main.ts', 'src/signups.ts', 'src/web.ts'],
  ...['test/jobs.test.ts', 'tsconfig.json'],
]

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

async function refused(args: string[], cwd: string) {
  const { code, stdout, stderr } = await holdfast(['init', ...args, '--json'], { cwd })
  expect(stdout).toBe('')
  return { exit: code, ...(JSON.parse(stderr) as { code: string; message: string; remedy: string }) }
}

describe('init', () => {
  it('writes an app with the name of its folder, and prints what to do next', async () => {
    const cwd = emptyFolder()
    const { code, stdout, stderr } = await holdfast(['init', 'My Shop'], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Created my-shop in .*My Shop: 14 files\.\n\nNext:\n {2}cd "My Shop"\n {2}npm install\n/,
    )
    const app = join(cwd, 'My Shop')
    expect(filesIn(app)).toEqual(FILES)
    for (const file of FILES)
      expect(readFileSync(join(app, file), 'utf8'), file).not.toContain('holdfast-app')
    expect(readFileSync(join(app, '.gitignore'), 'utf8')).toMatch(/^node_modules\n[\s\S]*^\.env$/m)
  })

  it('takes name and package from flags, and prints one JSON object', async () => {
    const cwd = emptyFolder()
    const { code, stdout } = await holdfast(
      ['init', '--name', '@acme/shop.web', '--package', '^9.9.9', '--json'],
      { cwd },
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      name: '@acme/shop.web',
      holdfast: '^9.9.9',
      files: expect.arrayContaining(['src/jobs.ts', '.gitignore']),
      kept: [],
      next: ['npm install', 'npm test', 'npm run dev'],
    })
    const { name, dependencies } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
    expect({ name, holdfast: dependencies.holdfast }).toEqual({ name: '@acme/shop.web', holdfast: '^9.9.9' })
    expect(parse(readFileSync(join(cwd, 'compose.yaml'), 'utf8')).name).toBe('acme-shop-web')
  })

  it('run from a clone, depends on the clone', async () => {
    const cwd = emptyFolder()
    const { stdout } = await holdfast(['init', 'app', '--json'], { cwd })
    const [, path = ''] = /^file:(.+)$/.exec(JSON.parse(stdout).holdfast) ?? []
    const { name } = JSON.parse(readFileSync(join(cwd, 'app', path, 'package.json'), 'utf8'))
    expect(name).toBe('holdfast')
  })

  it('never overwrites a file: it names those in the way, writes nothing and exits 1', async () => {
    const cwd = emptyFolder()
    mkdirSync(join(cwd, 'test'))
    writeFileSync(join(cwd, 'README.md'), 'mine')
    writeFileSync(join(cwd, 'src'), 'a file')
    symlinkSync(join(cwd, 'nowhere'), join(cwd, 'Dockerfile'))
    const answer = await refused(['--name', 'shop'], cwd)
    expect(answer).toMatchObject({ exit: 1, code: 'files_exist', remedy: expect.stringContaining('--keep') })
    for (const path of ['README.md', 'src/jobs.ts', 'Dockerfile']) expect(answer.message).toContain(path)
    expect(answer.message).not.toContain('test/jobs.test.ts')
    expect(readdirSync(cwd).sort()).toEqual(['Dockerfile', 'README.md', 'src', 'test'])
    expect(readFileSync(join(cwd, 'README.md'), 'utf8')).toBe('mine')
  })

  it('with --keep keeps the files that exist and writes the others', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'package.json'), '{"name":"mine"}')
    const { code, stdout } = await holdfast(['init', '--name', 'shop', '--keep'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('Kept what was there: package.json.')
    expect(stdout).toContain('needs the packages holdfast and zod')
    expect(readFileSync(join(cwd, 'package.json'), 'utf8')).toBe('{"name":"mine"}')
    expect(filesIn(cwd)).toEqual(FILES)
  })

  it.each(['Shop', '.shop', 'two words', 'holdfast', 'node_modules', 'x'.repeat(215), ''])(
    'refuses the name "%s" with exit code 2 and writes nothing',
    async (name) => {
      const cwd = emptyFolder()
      expect(await refused(['app', '--name', name], cwd)).toMatchObject({
        exit: 2,
        code: 'usage',
        message: expect.stringContaining(`"${name}"`),
        remedy: expect.stringContaining('--name my-app'),
      })
      expect(existsSync(join(cwd, 'app'))).toBe(false)
    },
  )

  it('refuses a folder that is a file, that has no name, or that gives no name for the app', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'file'), '')
    expect(await refused(['file'], cwd)).toMatchObject({ exit: 2, message: 'file is a file.' })
    expect(await refused([' '], cwd)).toMatchObject({ exit: 2, message: 'The folder has no name.' })
    expect(await refused(['###'], cwd)).toMatchObject({ exit: 2, remedy: expect.stringContaining('--name') })
  })

  it('is 78 where it may not write, with what to do', async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'file'), '')
    expect(await refused(['file/app'], cwd)).toMatchObject({
      exit: 78,
      code: 'folder_not_writable',
      message: expect.stringContaining('file/app'),
    })
  })
})

describe('the template', () => {
  const read = (path: string) => readFileSync(new URL(path, TEMPLATE), 'utf8')

  it('has the versions that this repository is tested with', () => {
    const ours = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const { dependencies, devDependencies, engines } = JSON.parse(read('package.json'))
    const known = { ...ours.dependencies, ...ours.devDependencies }
    expect(engines).toEqual(ours.engines)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect({ name, version }).toEqual({ name, version: name === 'holdfast' ? '*' : known[name] })
  })

  it('has a compose file in which web and worker start after the migration, on one database', () => {
    const compose = parse(read('compose.yaml'), { merge: true, strict: true })
    expect(Object.keys(compose.services)).toEqual(['postgres', 'migrate', 'web', 'worker'])
    const { postgres, migrate, web, worker } = compose.services
    expect(migrate.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(postgres.healthcheck.test.slice(0, 2)).toEqual(['CMD', 'pg_isready'])
    for (const each of [web, worker])
      expect(each.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } })
    for (const each of [migrate, web, worker]) {
      expect(each.build).toBe('.')
      expect(each.environment.DATABASE_URL).toMatch(/^postgres:\/\/app:.+@postgres:5432\/app$/)
    }
    // Every command is one that the app knows.
    const main = read('src/main.ts')
    for (const { command } of [migrate, web, worker]) expect(main).toContain(`'${command.at(-1)}'`)
    expect(Object.keys(compose.volumes)).toEqual(['postgres'])
    expect(web.environment.DASHBOARD_PASSWORD).toMatch(/^\$\{DASHBOARD_PASSWORD:\?/)
  })
})
