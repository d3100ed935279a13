import { createRequire } from 'node:module'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { refuseNode } from '../../src/cli/node-version.js'
import { mask } from '../../src/cli/terminal/mask.js'
import { openTerminal } from '../../src/cli/terminal/terminal.js'
import { finished, holdfast, startHoldfast } from './run-holdfast.js'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

describe('the command line', () => {
  it('prints its version', async () => {
    expect(await holdfast(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('lists every command, and the exit codes, in its help', async () => {
    const { code, stdout, stderr } = await holdfast(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const word of ['demo', 'migrate', 'Exit codes', '69', '78']) expect(stdout).toContain(word)
    expect((await holdfast(['migrate', '--help'])).stdout).toMatch(/\bup\b[\s\S]*\bstatus\b[\s\S]*\bsql\b/)
  })

  it('has a help for every command, within 80 columns, with an example', async () => {
    const commands = await commandsBelow([])
    expect(commands.length).toBeGreaterThan(30)
    for (const { args, help, subcommands } of commands) {
      for (const line of help.split('\n'))
        expect(line.length, `${args.join(' ')}: ${line}`).toBeLessThanOrEqual(80)
      // The program itself lists what to start with.
      const heading = args.length === 0 ? 'Start here' : 'Examples?'
      expect(help, args.join(' ')).toMatch(new RegExp(`${heading}:\n.*holdfast ${args.join(' ')}`))
      if (subcommands.length === 0) expect(help, args.join(' ')).toContain('--json')
    }
  })

  it('shows the help on stderr and exits 2 when no command is given', async () => {
    const { code, stdout, stderr } = await holdfast([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: holdfast')
  })

  it('refuses an unknown command with exit code 2 and the nearest name', async () => {
    const { code, stderr } = await holdfast(['migrat'])
    expect(code).toBe(2)
    expect(stderr).toContain('There is no command "migrat"')
    expect(stderr).toContain('migrate')
  })

  it('says a usage error as one JSON object when asked for JSON', async () => {
    const { code, stdout, stderr } = await holdfast(['migrate', 'status', '--json', '--frob'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({
      code: 'usage',
      message: expect.stringContaining('--frob'),
      remedy: expect.stringContaining('--help'),
    })
  })

  it('uses no colours where nobody is watching', async () => {
    const { stderr } = await holdfast(['migrat'])
    expect(stderr).not.toContain('\x1b')
  })

  it('ends quietly when its reader goes away', async () => {
    const child = startHoldfast(['migrate', 'sql'])
    child.stdout?.once('data', () => child.stdout?.destroy())
    const { code, stderr } = await finished(child)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

/** Every command with its help, found as a person finds them. */
async function commandsBelow(
  args: string[],
): Promise<{ args: string[]; help: string; subcommands: string[] }[]> {
  const { stdout: help } = await holdfast([...args, '--help'])
  const listed = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help)?.[1] ?? ''
  const subcommands = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name as string)
  const below = subcommands.filter((name) => name !== 'help').map((name) => commandsBelow([...args, name]))
  return [{ args, help, subcommands }, ...(await Promise.all(below)).flat()]
}

describe('the terminal', () => {
  function written(isTTY: boolean, env: Record<string, string>): string {
    const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream
    const terminal = openTerminal(stream, stream, env)
    terminal.status('one moment')
    terminal.out(terminal.paint.green('done with postgres://me:secret@host/db'))
    return String((stream as unknown as PassThrough).read())
  }

  it('has colours and passing remarks where somebody watches', () => {
    const text = written(true, {})
    expect(text).toContain('one moment')
    expect(text).toContain('\x1b[32mdone')
  })

  it.each([
    { name: 'NO_COLOR', isTTY: true, env: { NO_COLOR: '1' } },
    { name: 'a dumb terminal', isTTY: true, env: { TERM: 'dumb' } },
    { name: 'a pipe', isTTY: false, env: {} },
  ])('has no colours with $name', ({ isTTY, env }) => {
    expect(written(isTTY, env)).not.toContain('\x1b[32m')
  })

  it('never shows a password, whoever wrote it', () => {
    expect(written(false, {})).toBe('done with postgres://me:***@host/db\n')
  })
})

describe('the Node version', () => {
  it('is refused with a sentence when it is too old', () => {
    for (const old of ['18.20.4', '20.18.3']) expect(refuseNode(old)).toContain(`this is Node ${old}`)
  })

  it('is accepted from 20.19 on', () => {
    for (const good of ['20.19.0', '22.1.0', '24.0.0']) expect(refuseNode(good)).toBeUndefined()
  })
})

describe('masking', () => {
  it.each([
    ['postgres://me:secret@host:5432/db', 'postgres://me:***@host:5432/db'],
    ['postgresql://me:se@cr/et@host/db', 'postgresql://me:***@host/db'],
    ['postgres://:secret@host/db', 'postgres://:***@host/db'],
    [
      'could not reach postgres://me:secret@host/db, sorry',
      'could not reach postgres://me:***@host/db, sorry',
    ],
    [
      'postgres://me@host/db?password=secret&sslmode=require',
      'postgres://me@host/db?password=***&sslmode=require',
    ],
    ["host=h password='sec ret' user=me", 'host=h password=*** user=me'],
    [
      '{"url":"http://127.0.0.1:8080","database":"postgres://me:se@cret@host:5432/db"}',
      '{"url":"http://127.0.0.1:8080","database":"postgres://me:***@host:5432/db"}',
    ],
  ])('takes the password out of %s', (text, masked) => {
    expect(mask(text)).toBe(masked)
  })

  it.each(['postgres://me@host:5432/db', 'https://nodejs.org', 'write to me@host.org at 12:30'])(
    'leaves %s as it is',
    (text) => {
      expect(mask(text)).toBe(text)
    },
  )
})
