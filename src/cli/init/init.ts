/** `holdfast init`: writes a small app with jobs, a web process, a worker and tests into a folder. It never overwrites a file. */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { CommandError, EXIT } from '../failure.js'
import { usageError, withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'
import { appName } from './name.js'
import { ownPackage, type TemplateFile, templateFiles } from './template.js'

interface Flags {
  readonly name?: string
  readonly package?: string
  readonly keep?: boolean
  readonly json?: boolean
}

export function initCommand(context: CommandContext): Command {
  const command = new Command('init')
    .description('create an app with jobs, web process, worker and tests')
    .argument('[folder]', 'folder of the app; created if missing', '.')
    .option('--name <name>', 'name of the app (default: that of the folder)')
    .option('--package <spec>', 'holdfast to install (default: this version)')
    .option('--keep', 'keep files that exist, and write the others')
    .option('--json', 'print JSON')
  return withExamples(
    command,
    'holdfast init my-app',
    'holdfast init --name my-app --keep',
    'holdfast init my-app --package file:../holdfast-0.1.0.tgz',
  ).action((folder: string, flags: Flags) => init(folder, flags, context))
}

function init(given: string, flags: Flags, { terminal }: CommandContext): void {
  const folder = folderOf(given)
  const name = appName(flags.name, folder)
  const holdfast = flags.package ?? ownPackage(folder)
  const files = templateFiles(name, holdfast)
  const kept = files.map(({ path }) => path).filter((path) => isInTheWay(folder, path))
  if (kept.length > 0 && flags.keep !== true) throw filesExist(given, kept)
  const written = files.filter(({ path }) => !kept.includes(path))
  try {
    for (const file of written) write(folder, file)
  } catch (error) {
    throw cannotWrite(given, error as NodeJS.ErrnoException)
  }
  const next = commandsFor(folder)
  if (flags.json) {
    terminal.out(
      JSON.stringify({ folder, name, holdfast, files: written.map(({ path }) => path), kept, next }),
    )
    return
  }
  const { bold, dim } = terminal.paint
  terminal.out(`Created ${bold(name)} in ${folder}: ${many(written.length, 'file')}.`)
  if (kept.length > 0) terminal.out(`Kept what was there: ${kept.join(', ')}.`)
  if (kept.includes('package.json'))
    terminal.out('Your package.json needs the packages holdfast and zod, and "type": "module".')
  terminal.out(`\n${dim('Next:')}`)
  for (const command of next) terminal.out(`  ${command}`)
  terminal.out(
    `\n${dim('`npm run dev` starts a Postgres, the web process and a worker. README.md explains the files.')}`,
  )
}

function folderOf(given: string): string {
  if (given.trim() === '') throw usageError('The folder has no name.', 'Give one: `holdfast init my-app`.')
  const folder = resolve(given)
  const found = lstatOf(folder)
  if (found !== undefined && !found.isDirectory() && !found.isSymbolicLink())
    throw usageError(`${given} is a file.`, 'Give the path of a folder, or of one to create.')
  return folder
}

function lstatOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // A file stands where the path needs a folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

/** The file exists, also as a broken link, or a file stands where its folder should be. */
function isInTheWay(folder: string, path: string): boolean {
  if (lstatOf(join(folder, path)) !== undefined) return true
  const parent = dirname(path)
  if (parent === '.') return false
  const found = lstatOf(join(folder, parent))
  return found !== undefined && !found.isDirectory() && !found.isSymbolicLink()
}

function write(folder: string, { path, text }: TemplateFile): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  // Fails if the file has appeared meanwhile.
  writeFileSync(file, text, { flag: 'wx' })
}

function commandsFor(folder: string): string[] {
  const path = relative(process.cwd(), folder)
  const enter = path === '' ? [] : [`cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`]
  return [...enter, 'npm install', 'npm test', 'npm run dev']
}

function filesExist(folder: string, paths: readonly string[]): CommandError {
  return new CommandError({
    code: 'files_exist',
    message: `${folder} already has ${many(paths.length, 'file')} of the app: ${paths.join(', ')}.`,
    remedy: 'Choose another folder, move these files away, or keep them with --keep. No file was written.',
    exitCode: EXIT.failed,
  })
}

function cannotWrite(folder: string, { message }: NodeJS.ErrnoException): CommandError {
  return new CommandError({
    code: 'folder_not_writable',
    message: `Cannot write to ${folder}: ${message}.`,
    remedy: 'Give this user write permission, free space on the disk, or choose another folder.',
    exitCode: EXIT.config,
  })
}
