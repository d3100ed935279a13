// The completion script of bash is run by bash. Those of zsh and fish are checked by these shells where they are installed, and by their
// content everywhere.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyFolder, holdfast } from './run-holdfast.js'

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await holdfast(['completion', shell])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** What bash offers for the last of these. */
async function offered(...words: string[]): Promise<string[]> {
  const file = join(emptyFolder(), 'completion.bash')
  writeFileSync(file, await script('bash'))
  const program = `source "$0"; COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', program, file, ...words], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').filter((line) => line !== '')
}

describe('completion in bash', () => {
  it('offers commands, and subcommands of the command before', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['init', 'up', 'jobs', 'completion']))
    expect(await offered('sch')).toEqual(['schedules'])
    expect(await offered('migrate', '')).toEqual(expect.arrayContaining(['up', 'status', 'sql']))
    expect(await offered('jobs', 're')).toEqual(['retry', 'resume'])
    expect(await offered('--version', '')).toContain('up')
  })

  it('offers the flags of the command, short and long', async () => {
    expect(await offered('jobs', 'list', '--st')).toEqual(['--state'])
    expect(await offered('up', '-')).toEqual(
      expect.arrayContaining(['-q', '--queue', '--demo', '--help', '-h']),
    )
    expect(await offered('down', '--demo')).toEqual([])
    // A subcommand has its own flags, not those of a command with the same name.
    expect(await offered('migrate', 'up', '--demo')).toEqual([])
  })

  it('offers the values of a flag and of an argument', async () => {
    expect(await offered('schedules', 'create', 'x', 'y', '--overlap', '')).toEqual(
      expect.arrayContaining(['allow', 'skip', 'queue_one', 'cancel_old']),
    )
    expect(await offered('jobs', 'list', '--state', 'f')).toEqual(['failed'])
    expect(await offered('jobs', 'list', '--state', '=', 'f')).toEqual(['failed'])
    expect(await offered('jobs', 'list', '--state', '=')).toContain('failed')
    expect(await offered('keys', 'create', 'x', '--scope', 'ad')).toEqual(['admin'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  it('leaves files and free text to bash', async () => {
    expect(await offered('up', '--config', '')).toEqual([])
    expect(await offered('jobs', 'list', '--queue', 'j')).toEqual([])
    expect(await offered('worker', './')).toEqual([])
  })
})

describe('completion scripts', () => {
  it('have every command of the program, with its flags', async () => {
    const { stdout } = await holdfast(['completion', 'bash', '--json'])
    const { commands } = JSON.parse(stdout) as { commands: { path: string; flags: { name: string }[] }[] }
    expect(commands.length).toBeGreaterThan(100)
    const [bash, zsh, fish] = [await script('bash'), await script('zsh'), await script('fish')]
    for (const { path, flags } of commands) {
      expect(bash).toContain(`\n    '${path}') names=`)
      expect(zsh).toContain(`\n    '${path}')\n`)
      for (const { name } of flags)
        expect(fish).toContain(`-n '__holdfast_at "${path}"'${fishFlag(fish, path, name)}`)
    }
    expect(zsh).toMatch(/^#compdef holdfast\n/)
    expect(zsh).toContain("'up:start database, server and workers; stop with Ctrl-C'")
    expect(zsh).toContain(`'holdfast schedules create --overlap') compadd -- 'allow'`)
    expect(fish).toContain(`-l overlap -x -a 'allow skip queue_one cancel_old'`)
  })

  it.each([
    ['bash', ['-n']],
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ])('that of %s has no syntax error', async (shell, flags) => {
    const file = join(emptyFolder(), `completion.${shell}`)
    const text = await script(shell)
    writeFileSync(file, text)
    const { error, status, stderr } = spawnSync(shell, [...flags, file], { encoding: 'utf8' })
    const isInstalled = (error as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT'
    // Without the shell: quotes and blocks are closed.
    if (isInstalled) expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    else for (const line of text.split('\n')) expect(quotesIn(line, shell), line).toBe(0)
  })

  it('refuses an unknown shell and names those that it knows', async () => {
    const { code, stderr } = await holdfast(['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('bash, zsh, fish')
  })
})

/** The flag as fish has it, with the short one before it. */
function fishFlag(fish: string, path: string, name: string): string {
  const start = `-n '__holdfast_at "${path}"'`
  const short = fish
    .split('\n')
    .find((line) => line.includes(`${start} -s `) && line.includes(` -l ${name.slice(2)} `))
  return short === undefined ? ` -l ${name.slice(2)} ` : (/ -s \w -l [\w-]+ /.exec(short)?.[0] ?? '')
}

/** Single quotes that are open at the end of a line; comments have none. */
function quotesIn(line: string, shell: string): number {
  const bare = line.replaceAll(shell === 'fish' ? "\\'" : `'\\''`, '')
  return (bare.match(/'/g)?.length ?? 0) % 2
}
