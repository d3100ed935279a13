import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfigError } from '../../src/config/error.js'
import { envNames, KEY_NAMES, KEYS } from '../../src/config/keys.js'
import { type ConfigOptions, loadConfig } from '../../src/config/resolve.js'

/** A folder with these files, and the configuration of a program started in it. */
function started(files: Record<string, string>, options: ConfigOptions = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-config-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  return loadConfig({ env: {}, cwd, ...options })
}

function refusal(files: Record<string, string>, options: ConfigOptions = {}): ConfigError {
  try {
    started(files, options)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('it was accepted')
}

const max = (n: number) => `[workers]\nmax_count = ${n}\n`

describe('the configuration', () => {
  it('config/default.toml has the required defaults for workers', () => {
    const config = started({})
    expect(
      [
        'workers.default_count',
        'workers.max_count',
        'workers.poll_interval_ms',
        'workers.lease_timeout_seconds',
        'workers.scale_interval_ms',
      ].map((key) => [config.get(key as 'workers.max_count'), config.origin(key as 'workers.max_count')]),
    ).toEqual([2, 8, 250, 30, 1000].map((value) => [value, 'default.toml of holdfast']))
  })

  it('says the same in the file and where there is none', () => {
    const config = started({})
    for (const { key, value } of config.entries())
      expect(value, key).toBe((KEYS[key] as { default: unknown }).default ?? null)
  })

  it('the order of precedence is flag, environment, database, holdfast.toml, config/default.toml, built-in default', () => {
    const files = { 'config/default.toml': max(3) }
    const own = { ...files, 'holdfast.toml': max(4) }
    const env = { HOLDFAST_WORKERS_MAX_COUNT: '5' }
    const flags = { 'workers.max_count': { flag: '--max', value: '6' } } as const
    const answer = (files: Record<string, string>, options?: ConfigOptions) => {
      const config = started(files, options)
      return [config.get('workers.max_count'), config.origin('workers.max_count')]
    }
    expect(answer({ 'config/default.toml': '' })).toEqual([8, 'default'])
    expect(answer(files)).toEqual([3, join('config', 'default.toml')])
    expect(answer(own)).toEqual([4, 'holdfast.toml'])
    expect(answer(own, { env })).toEqual([5, 'env HOLDFAST_WORKERS_MAX_COUNT'])
    expect(answer(own, { env, flags })).toEqual([6, 'flag --max'])
  })

  it('a setting in the database overrides the files, and the environment overrides the setting', () => {
    const key = 'settings.SHUTDOWN_GRACE_PERIOD_SECONDS'
    const files = { 'holdfast.toml': '[settings]\nSHUTDOWN_GRACE_PERIOD_SECONDS = 20\n' }
    const settings = new Map([['SHUTDOWN_GRACE_PERIOD_SECONDS', 10]])
    const plain = started(files)
    expect([plain.get(key), plain.origin(key)]).toEqual([20, 'holdfast.toml'])
    expect([plain.withSettings(settings).get(key), plain.withSettings(settings).origin(key)]).toEqual([
      10,
      'database',
    ])
    const overridden = started(files, { env: { SHUTDOWN_GRACE_PERIOD_SECONDS: '5' } }).withSettings(settings)
    expect(overridden.get(key)).toBe(5)
    expect(overridden.overrides('SHUTDOWN_GRACE_PERIOD_SECONDS')?.origin).toBe(
      'env SHUTDOWN_GRACE_PERIOD_SECONDS',
    )
    expect(overridden.overrides('STALE_DAYS')).toBeUndefined()
  })

  it('takes another file than holdfast.toml when somebody names it', () => {
    const files = { 'holdfast.toml': max(4), 'other.toml': max(5) }
    expect(started(files, { file: 'other.toml' }).get('workers.max_count')).toBe(5)
    expect(started(files, { env: { HOLDFAST_CONFIG: 'other.toml' } }).get('workers.max_count')).toBe(5)
    expect(refusal(files, { file: 'gone.toml' }).message).toContain('gone.toml')
  })

  it('reads an empty variable as none', () => {
    expect(started({}, { env: { DATABASE_URL: '' } }).get('database.url')).toBeUndefined()
  })

  it('understands the variables of libpq, unless DATABASE_URL is there', () => {
    const env = {
      PGHOST: 'db.example',
      PGPORT: '6432',
      PGUSER: 'me',
      PGPASSWORD: 'a b/c@',
      PGDATABASE: 'shop',
    }
    const config = started({}, { env })
    expect(config.origin('database.url')).toBe('env PGHOST')
    const url = new URL(config.get('database.url') ?? '')
    expect(url).toMatchObject({ hostname: 'db.example', port: '6432', username: 'me', pathname: '/shop' })
    expect(decodeURIComponent(url.password)).toBe('a b/c@')
    const socket = started({}, { env: { PGHOST: '/run/pg', PGUSER: 'me', PGSSLMODE: 'disable' } })
    expect(new URL(socket.get('database.url') ?? '').searchParams.get('host')).toBe('/run/pg')
    const both = started({}, { env: { ...env, DATABASE_URL: 'postgres://other/db' } })
    expect(both.get('database.url')).toBe('postgres://other/db')
  })

  it('has a name in the environment for every key', () => {
    expect(new Set(KEY_NAMES.flatMap(envNames)).size).toBe(KEY_NAMES.flatMap(envNames).length)
    expect(envNames('workers.max_count')).toEqual(['HOLDFAST_WORKERS_MAX_COUNT'])
    expect(envNames('log.level')).toEqual(['LOG_LEVEL', 'HOLDFAST_LOG_LEVEL'])
  })
})

describe('a configuration that cannot be used is refused', () => {
  it.each([
    ['[workers]\nmax_cont = 3', 'workers.max_cont', 'workers.max_count'],
    ['[worker]\nmax_count = 3', '"worker"', 'workers'],
    ['[settings]\nSTALE_DAY = 3', 'settings.STALE_DAY', 'settings.STALE_DAYS'],
  ])('an unknown key is refused with the nearest key: %s', (text, named, suggested) => {
    const { message, exit } = refusal({ 'holdfast.toml': text })
    expect(message).toContain(named)
    expect(message).toContain(`Did you mean "${suggested}"?`)
    expect(exit).toBe('config')
  })

  it('a key outside its section, saying where it belongs', () => {
    expect(refusal({ 'holdfast.toml': 'max_count = 3' }).remedy).toContain('[workers]')
  })

  it('what is not TOML, with the line', () => {
    expect(refusal({ 'holdfast.toml': '[workers]\nmax_count = = 3' }).message).toMatch(
      /^holdfast\.toml:2:\d+ /,
    )
  })

  it.each([
    ['a text for a number', max('"many"' as never)],
    ['a fraction', max(1.5)],
    ['too much', max(1001)],
    ['too little', max(0)],
  ])('%s', (_title, text) => {
    expect(refusal({ 'holdfast.toml': text }).message).toContain(
      'workers.max_count in holdfast.toml must be a whole number from 1 to 1000',
    )
  })

  it('more workers to begin with than there may be at most', () => {
    expect(refusal({ 'holdfast.toml': max(1) }).message).toContain('workers.default_count, which is 2')
  })

  it('a setting that only the database decides by, with the command that sets it', () => {
    const { message, remedy } = refusal({ 'holdfast.toml': '[settings]\nLEASE_SEC_DEFAULT = 90' })
    expect(message).toContain('LEASE_SEC_DEFAULT')
    expect(remedy).toContain('holdfast settings set LEASE_SEC_DEFAULT')
  })

  it('a misspelt variable of ours; any other name is left alone', () => {
    const misspelt = refusal({}, { env: { HOLDFAST_WORKERS_MAXCOUNT: '3' } })
    expect(misspelt.message).toContain('Did you mean HOLDFAST_WORKERS_MAX_COUNT?')
    const pod = { HOLDFAST_PORT: 'tcp://10.0.0.1:80', HOLDFAST_SERVICE_HOST: '10.0.0.1' }
    expect(started({}, { env: pod }).get('workers.max_count')).toBe(8)
  })

  it('a value of a secret, without showing it', () => {
    const { message } = refusal({}, { env: { DATABASE_URL: 'mysql://me:hunter2@host' } })
    expect(message).toContain('DATABASE_URL must be an address like postgres://')
    expect(message).not.toContain('hunter2')
  })

  it('an address that cannot be parsed, and none that can', () => {
    for (const url of ['me:p/w@host/db', 'me:p#w@host/db', 'me:p?w@host/db', 'host:port/db', 'a:1,b:2/db'])
      expect(refusal({}, { env: { DATABASE_URL: `postgres://${url}` } }).message).toContain('percent-encoded')
    for (const url of [
      ...[
        'host',
        'host:5432',
        'me:p%2Fw@host:5432/db?sslmode=require',
        '/db?host=/run/pg',
        'me@/db',
        '[::1]:5432/db',
      ],
      ...['me:p@w@host/db', '%2Frun%2Fpg/db', 'host/db?options=-c%20a=b@c'],
    ])
      expect(started({}, { env: { DATABASE_URL: `postgres://${url}` } }).get('database.url')).toContain(url)
  })

  it('a value of a flag, as a wrong usage', () => {
    const flags = { 'workers.max_count': { flag: '--max', value: 'x' } } as const
    expect(refusal({}, { flags })).toMatchObject({ exit: 'usage', message: expect.stringContaining('--max') })
  })
})
