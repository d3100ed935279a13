// npm run example              the examples, a line each
// npm run example -- <name>    builds what is stale and starts examples/<name>, until Ctrl-C
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const HELP = `Usage: npm run example -- <name> [options]

  --port <n>     port of its HTTP server; 0 takes any free one (default: 8080)
  --speed <n>    go so many times faster than is good for watching (default: 1)
  --chaos <n>    kill workers at random, by this seed
  --keep         go on with the jobs of the last run
  --out <dir>    folder for its database and results (default: .holdfast/examples/<name>)
  --exit         end when the work is done

DATABASE_URL names a database of yours; without it the example starts one of its own.
`

/** Names with their first line: an example is a folder with a start.ts, a recipe is one file. */
function examples() {
  const folders = readdirSync(join(root, 'examples'))
    .filter((name) => existsSync(join(root, 'examples', name, 'start.ts')))
    .map((name) => ({ name, file: `${name}/start.ts` }))
  const recipes = existsSync(join(root, 'examples', 'recipes'))
    ? readdirSync(join(root, 'examples', 'recipes'))
        .filter((file) => file.endsWith('.ts'))
        .map((file) => ({ name: `recipes/${file.slice(0, -3)}`, file: `recipes/${file}` }))
    : []
  return [...folders, ...recipes]
}

/** The first sentence of the comment at the top of the file. */
function descriptionOf(file) {
  const comment = /^\/\*\*?\s*([\s\S]*?)\*\/|^\/\/ (.*)/.exec(
    readFileSync(join(root, 'examples', file), 'utf8'),
  )
  const text = (comment?.[1] ?? comment?.[2] ?? '').replace(/\s*\n\s*\*?\s*/g, ' ').trim()
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text
}

/** When the newest file with this ending below a folder was written. */
function newest(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join(folder, file))
    .filter((file) => file.endsWith(ending) && !file.startsWith('examples/dist/'))
    .reduce((latest, file) => Math.max(latest, statSync(join(root, file)).mtimeMs), 0)
}

const writtenAt = (file) => (existsSync(join(root, file)) ? statSync(join(root, file)).mtimeMs : 0)

function buildIfStale() {
  const isStale =
    writtenAt('dist/index.js') < newest('src', '.ts') ||
    writtenAt('examples/dist/support/run.js') < newest('examples', '.ts')
  if (!isStale) return
  process.stdout.write('building …\n')
  execFileSync(process.execPath, [join(root, 'scripts', 'build.js')], { stdio: 'inherit' })
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function number(flag, text, { min = 0, max, whole = true }) {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value) || value < min || value > max)
    fail(`--${flag} is a number from ${min} to ${max}, not ${text}`)
  if (whole && !Number.isInteger(value)) fail(`--${flag} is a whole number, not ${text}`)
  return value
}

function parsed() {
  const string = { type: 'string' }
  const boolean = { type: 'boolean' }
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...{ port: string, speed: string, chaos: string, out: string },
        ...{ keep: boolean, exit: boolean, help: { type: 'boolean', short: 'h' } },
      },
    })
  } catch (error) {
    return fail(`${error.message}\n\n${HELP}`)
  }
}

const {
  values,
  positionals: [name, ...args],
} = parsed()
const all = examples()
if (values.help || name === undefined) {
  const width = Math.max(...all.map((each) => each.name.length))
  process.stdout.write(`${HELP}\n`)
  for (const each of all) process.stdout.write(`  ${each.name.padEnd(width)}  ${descriptionOf(each.file)}\n`)
  process.exit(0)
}
const found = all.find((each) => each.name === name)
if (found === undefined) {
  buildIfStale()
  const { nearest } = await import('../dist/domain/nearest.js')
  const names = all.map((each) => each.name)
  const near = nearest(name, names) ?? names.find((each) => each.includes(name))
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  fail(`There is no example "${name}".${hint}\nList them with: npm run example`)
}
const flags = {
  port: number('port', values.port, { max: 65_535 }),
  speed: number('speed', values.speed, { min: 0.1, max: 1_000, whole: false }),
  chaos: number('chaos', values.chaos, { max: 2 ** 32 - 1 }),
  out: values.out,
  keep: values.keep,
  exit: values.exit,
  args,
}
buildIfStale()
const built = (file) => new URL(`../examples/dist/${file.replace(/\.ts$/, '.js')}`, import.meta.url)
process.setSourceMapsEnabled(true)
if (found.file.startsWith('recipes/')) {
  const { runRecipe } = await import(built('support/recipe.ts'))
  await runRecipe(built(found.file), flags)
} else {
  const { run } = await import(built('support/run.ts'))
  await run(name, await import(built(found.file)), flags)
  process.exit()
}
