// Which database a program gets when nothing names one, or almost names one.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HoldfastOptions, holdfast } from 'holdfast'
import { openStore } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeDatabase } from '../support/databases.js'

/** In a folder of its own, with nothing but these variables around that could name a database. */
async function opened(env: Record<string, string>, options: HoldfastOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-named-'))
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder)
  onTestFinished(() => {
    cwd.mockRestore()
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const name of ['DATABASE_URL', 'PGHOST', 'NODE_ENV']) vi.stubEnv(name, '')
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const refusal = await holdfast(options).then(
    (app) => app.stop().then(() => undefined),
    (error: Error & { remedy?: string }) => error,
  )
  expect(existsSync(join(folder, '.holdfast'))).toBe(false)
  return refusal
}

const ADDRESS = 'postgres://ann:secret@db.example.org/shop'

it('6.18 with NODE_ENV=production and no database named, none is started, and the remedy says what to set', async () => {
  const refusal = await opened({ NODE_ENV: 'production' })
  expect(refusal?.message).toContain('No database is named')
  expect(refusal?.remedy).toContain('DATABASE_URL')
  expect(refusal?.remedy).toContain('embedded')
})

it('6.18 with NODE_ENV=production an embedded database is started where the program asks for it', async () => {
  expect(await opened({ NODE_ENV: 'production' }, { embedded: 'memory' })).toBeUndefined()
})

it.each([
  'DATABASE_URI',
  'POSTGRES_URL',
  'DB_URL',
  'PG_URL',
  'POSTGRES_PRISMA_URL',
  'DATABSE_URL',
  'DATABASE_ULR',
])('6.18 an address in %s is refused by its name instead of being passed over', async (name) => {
  const refusal = await opened({ [name]: ADDRESS })
  expect(refusal?.message).toContain(name)
  expect(refusal?.remedy).toContain('DATABASE_URL')
  expect(`${refusal?.message}${refusal?.remedy}`).not.toContain('secret')
})

it('6.18 the address of another system, and that of a test database, are no near misses', async () => {
  const env = { DB_URL: 'mysql://db.example.org/shop', TEST_DATABASE_URL: ADDRESS, NODE_ENV: 'production' }
  expect((await opened(env))?.message).toContain('with NODE_ENV=production')
})

it.each([undefined, ''])('6.18 url: %o given by the program is refused, not taken for none', async (url) => {
  const options = { url } as unknown as HoldfastOptions
  expect(await opened({}, options)).toMatchObject({ code: 'invalid_input', details: { path: '/url' } })
  await expect(openStore(options)).rejects.toMatchObject({ details: { path: '/url' } })
})

it('6.18 an option that holdfast() does not have is refused with the nearest', async () => {
  const options = { databaseUrl: ADDRESS, conections: 3 } as HoldfastOptions
  await expect(holdfast(options)).rejects.toMatchObject({ details: { path: '/databaseUrl' } })
  await expect(holdfast({ conections: 3 } as HoldfastOptions)).rejects.toThrow('Did you mean "connections"?')
})

it('6.18 the library reads the variables of libpq as the command line does', async () => {
  const url = new URL(await makeDatabase())
  const refusal = await opened({
    PGHOST: url.hostname,
    PGPORT: url.port,
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
  })
  expect(refusal).toMatchObject({ code: 'schema_missing' })
})
