// Builds the documentation site. Apart from scripts/build.js, because neither `npm start` nor `npm test` needs it. Its generator is a
// package of its own (docs/package.json), installed at the first build, so that `npm ci` does not install it for everybody.
//
//   node scripts/build-docs.js [--out FOLDER]    default: dist/docs, where `holdfast docs` finds it
//   node scripts/build-docs.js --serve           serves the pages while you write
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const docs = join(root, 'docs')
const generator = join(docs, 'node_modules', 'vitepress', 'dist', 'node', 'index.js')
const { values } = parseArgs({ options: { out: { type: 'string' }, serve: { type: 'boolean' } } })

if (!existsSync(generator)) {
  const flags = ['--no-package-lock', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', ['install', '--prefix', docs, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] })
}
const { build, createServer } = await import(pathToFileURL(generator).href)
if (values.serve) {
  const server = await createServer(docs)
  await server.listen()
  server.printUrls()
} else {
  await build(docs, values.out === undefined ? {} : { outDir: resolve(values.out) })
}
