// Which pages the documentation site has, under which address, and in which group of the sidebar. A page in a listed folder is picked up
// without a change here; a page directly in docs/ must be named in a group, and test/repo/site.test.ts fails while it is not.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** In the order of the sidebar. Paths are of the repository; one that ends in a slash stands for all pages of the folder. */
const GROUPS = [
  {
    title: 'Start',
    pages: ['docs/quickstart.md', 'docs/install.md', 'docs/concepts.md', 'docs/comparison.md', 'examples/'],
  },
  {
    title: 'Guides',
    pages: [
      ...['docs/library.md', 'docs/recipes.md', 'docs/schedules.md', 'docs/testing.md', 'docs/client.md'],
      ...['docs/search.md', 'docs/bulk.md', 'docs/sqs.md', 'docs/guides/', 'docs/skill/'],
    ],
  },
  {
    title: 'Operate',
    pages: [
      ...['docs/deploy.md', 'docs/dashboard.md', 'docs/overview.md', 'docs/explain.md', 'docs/doctor.md'],
      ...['docs/operate/', 'docs/upkeep.md', 'docs/logs.md', 'docs/alerts.md', 'docs/tracing.md'],
      ...['docs/roles.md', 'SECURITY.md'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ...['docs/cli.md', 'docs/configuration.md', 'docs/http.md', 'docs/http-live.md'],
      ...['docs/worker-protocol.md', 'docs/sql.md', 'docs/store.md', 'docs/errors.md', 'docs/metrics.md'],
      ...['docs/state-machine.md', 'docs/requirements.md', 'docs/reference/', 'CHANGELOG.md'],
    ],
  },
  { title: 'Migrate', pages: ['docs/migrate/'] },
  {
    title: 'Internals',
    pages: [
      ...['ARCHITECTURE.md', 'docs/internals/', 'docs/benchmarks.md', 'CONTRIBUTING.md'],
      ...['CODE_OF_CONDUCT.md'],
    ],
  },
  { title: 'Decisions', pages: ['docs/decisions/'] },
  { title: 'Presets', pages: ['docs/presets.md', 'docs/presets/'] },
]

/** Folders of the repository with pages, and nothing else below them is a page. */
const PLACES = ['', 'docs', 'examples']

function filesIn(folder) {
  return readdirSync(`${root}${folder}`, { recursive: folder !== '', encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((name) => name.endsWith('.md') && !/(^|\/)(node_modules|dist|\.vitepress)\//.test(name))
    .sort()
}

/** Every page of the site, by its path in the repository. The README is for npm and GitHub: docs/index.md is the home of the site. */
export function sitePages() {
  const listed = new Set(GROUPS.flatMap(({ pages }) => pages))
  return PLACES.flatMap(filesIn).filter(
    (file) => file.startsWith('docs/') || file.startsWith('examples/') || listed.has(file),
  )
}

/** The address of a page as a path below the root of the site, with the ending of its source: `docs/cli.md` → `cli.md`. */
export function addressOf(file) {
  const path = file.includes('/') ? file : file.toLowerCase()
  return path
    .replace(/^docs\//, '')
    .replace(/^examples\/([\w-]+)\/README\.md$/, 'examples/$1.md')
    .replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The first heading of a page, without marks. */
export function titleOf(file) {
  const text = readFileSync(`${root}${file}`, 'utf8')
  const heading = /^# +(.+)$/m.exec(text)?.[1] ?? file
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}

/** The first paragraph below the heading, in one line. */
export function summaryOf(file) {
  const text = readFileSync(`${root}${file}`, 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
  const paragraphs = text.split(/\n{2,}/).map((part) => part.trim())
  const first = paragraphs.find((part) => /^[\w*_`[“"]/.test(part) && !/^Date: /.test(part)) ?? ''
  return first.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ')
}

/** The groups with their pages: listed ones that exist, and what is in listed folders, the README first. */
export function groupedPages() {
  const all = sitePages()
  const isReadme = (file) => (posix.basename(file) === 'README.md' ? 0 : 1)
  const depth = (file) => file.split('/').length
  return GROUPS.map(({ title, pages }) => ({
    title,
    pages: pages.flatMap((entry) => {
      if (!entry.endsWith('/')) return existsSync(`${root}${entry}`) ? [entry] : []
      const inside = all.filter((file) => file.startsWith(entry))
      return inside.sort((a, b) => depth(a) - depth(b) || isReadme(a) - isReadme(b) || (a < b ? -1 : 1))
    }),
  })).filter(({ pages }) => pages.length > 0)
}
