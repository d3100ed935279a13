// Writes what coding agents read, from the tested pages: docs/llms.txt (what the pages are about) and docs/skill/SKILL.md (how to use
// Holdfast, from scripts/skill.md with code and commands of the pages). The build of the site adds llms-full.txt. A test fails while one
// is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { addressOf, groupedPages, root, summaryOf, titleOf } from '../docs/.vitepress/pages.js'

const read = (file) => readFileSync(`${root}${file}`, 'utf8')

/** Of no use to a program that writes code against Holdfast, and a third of all text. */
const LEFT_OUT = /^(docs\/(decisions|internals|requirements)|CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING)/

export function llmsIndex(ending = 'md') {
  const linkOf = (file) =>
    ending === 'html' ? addressOf(file).replace(/\.md$/, '.html') : posix.relative('docs', file)
  const sections = groupedPages().map(({ title, pages }) => {
    const lines = pages.map(
      (file) => `- [${titleOf(file)}](${linkOf(file)}): ${firstSentence(summaryOf(file))}`,
    )
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Holdfast

> Durable jobs for TypeScript, on Postgres: library, worker, HTTP server, command line and dashboard in one npm
> package. Jobs are enqueued in the caller's transaction, claimed under a lease, fenced, retried and explained.

${ending === 'html' ? 'All pages in one file: [llms-full.txt](llms-full.txt).' : 'The built site has all pages in one file, llms-full.txt.'} Code blocks marked \`run\` are run by the tests.

${sections.join('\n')}`
}

export function llmsFull() {
  const pages = groupedPages().flatMap(({ pages: files }) => files.filter((file) => !LEFT_OUT.test(file)))
  return pages.map((file) => `<!-- ${file} -->\n\n${read(file).trim()}\n`).join('\n')
}

/** Up to the first full stop that ends a sentence. */
function firstSentence(text) {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/**
 * scripts/skill.md, with `<!-- block README.md 1 -->` replaced by the first example of that page that the tests run, its output included,
 * and `<!-- commands Jobs -->` by the commands of that section of docs/cli.md.
 */
export function skillPage() {
  return read('scripts/skill.md')
    .replace(/<!-- block (\S+) (\d+) -->/g, (_mark, file, number) => blockOf(file, Number(number)))
    .replace(/<!-- commands (.+?) -->/g, (_mark, section) => commandsOf(section))
}

function blockOf(file, number) {
  const blocks = [
    ...read(file).matchAll(/^```(?:ts|sql) run\n[\s\S]*?^```$(\n\n```text output\n[\s\S]*?^```$)?/gm),
  ]
  const block = blocks[number - 1]?.[0]
  if (block === undefined) throw new Error(`${file} has no example ${number}`)
  return block
}

/** The rows of a table in docs/cli.md, each cut after its first sentence. */
function commandsOf(section) {
  const part = read('docs/cli.md').split(`\n## ${section}\n`)[1]?.split('\n## ')[0]
  const rows = [...(part ?? '').matchAll(/^\| (`.+?) \| (.+) \|$/gm)]
  if (rows.length === 0) throw new Error(`docs/cli.md has no table in "${section}"`)
  const line = ([, command, does]) =>
    `- ${command}: ${firstSentence(does.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')).replace(/\.$/, '')}`
  return rows.map(line).join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(`${root}docs/skill`, { recursive: true })
  // First: the index names it.
  writeFileSync(`${root}docs/skill/SKILL.md`, skillPage())
  writeFileSync(`${root}docs/llms.txt`, llmsIndex())
}
