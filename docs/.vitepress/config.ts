/** The documentation site: `npm run docs:build` writes it to dist/docs, `npm run docs:dev` serves it while you write. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitepress'
import { llmsFull, llmsIndex } from '../../scripts/generate-llms.js'
import { linkedPictures, repositoryLinks } from './links.js'
import { addressOf, groupedPages, root, sitePages, titleOf } from './pages.js'

const linkOf = (file: string) => `/${addressOf(file).replace(/(^|\/)index\.md$|\.md$/, '$1')}`
const pages = new Set(sitePages())
const OPEN = ['Start', 'Guides', 'Operate', 'Reference']

export default defineConfig({
  title: 'Holdfast',
  description: 'Durable jobs for TypeScript, on Postgres.',
  lang: 'en',
  // Pages stay where they are in the repository, so the source is the whole of it.
  srcDir: root,
  srcExclude: [
    '**/.*/**',
    '{api,bench,config,dashboard,deploy,scripts,sql,src,templates,test}/**',
    'README.md',
  ],
  rewrites: (file: string) => (pages.has(file) ? addressOf(file) : file),
  base: process.env.DOCS_BASE ?? '/',
  outDir: join(root, 'dist', 'docs'),
  cacheDir: join(root, 'docs', 'node_modules', '.cache'),
  cleanUrls: false,
  // Every other dead link fails the build. These are addresses of a server that the reader starts.
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  head: [
    [
      'link',
      {
        rel: 'icon',
        href: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%233b54dc'/%3E%3C/svg%3E",
      },
    ],
  ],
  markdown: {
    config: (markdown) => repositoryLinks(markdown),
    // As GitHub makes anchors, which the links of the pages are written for.
    anchor: { slugify: githubSlug },
    theme: { light: 'github-light', dark: 'github-dark' },
    languageAlias: { output: 'text' },
  },
  vite: { publicDir: false, build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Concepts', link: '/concepts' },
      { text: 'Library', link: '/library' },
      { text: 'Command line', link: '/cli' },
      { text: 'Recipes', link: '/recipes' },
    ],
    sidebar: groupedPages().map(({ title, pages }) => ({
      text: title,
      collapsed: !OPEN.includes(title),
      items: pages.map((file) => ({ text: titleOf(file), link: linkOf(file) })),
    })),
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  buildEnd({ outDir }) {
    for (const file of linkedPictures) {
      const to = join(outDir, addressOf(file))
      mkdirSync(dirname(to), { recursive: true })
      copyFileSync(join(root, file), to)
    }
    writeFileSync(join(outDir, 'llms.txt'), llmsIndex('html'))
    writeFileSync(join(outDir, 'llms-full.txt'), llmsFull())
  },
})

function githubSlug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
