// Links between the pages of this repository lead to files and headings that exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['docs', 'examples', 'bench', 'dashboard', 'deploy']

const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    posix.join(folder, name.replaceAll('\\', '/')),
  )
const pages = [...readdirSync(root), ...FOLDERS.flatMap(below)].filter(
  (name) => name.endsWith('.md') && !name.includes('node_modules'),
)

/** The page without its code, in which `](` is no link and `#` no heading. */
function prose(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '')
}

interface Link {
  /** As written: a path from the page, or empty for the page itself. */
  readonly file: string
  readonly anchor: string | undefined
}

function linksIn(text: string): Link[] {
  const links = text.matchAll(
    /\]\(\s*([^)#\s]*)(?:#([^)\s]*))?\)|<(?:img|a)\b[^>]*(?:src|href)="([^"#]*)#?([^"]*)"/g,
  )
  return [...links]
    .map(({ 1: file, 2: anchor, 3: source, 4: mark }) => ({
      file: file ?? source ?? '',
      anchor: anchor ?? (mark || undefined),
    }))
    .filter(({ file }) => !/^[a-z]+:/.test(file))
}

/** The anchors of a page as GitHub and npm make them of its headings; one that comes again gets a number. */
function anchorsIn(text: string): Set<string> {
  const seen = new Map<string, number>()
  const headings = [...text.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  })
  return new Set([...headings, ...[...text.matchAll(/\b(?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)])
}

/** The links of a page that lead nowhere. */
function brokenIn(page: string): string[] {
  return linksIn(prose(page)).flatMap(({ file, anchor }) => {
    const target = file === '' ? page : posix.join(dirname(page), decodeURI(file))
    if (!existsSync(join(root, target))) return [`${file}: no such file`]
    if (anchor === undefined || !target.endsWith('.md') || anchorsIn(prose(target)).has(anchor)) return []
    return [`${file}#${anchor}: no such heading`]
  })
}

it.each(pages)('%s links only to files and headings that exist', (page) => {
  expect(brokenIn(page)).toEqual([])
})

describe('what counts as a link and as an anchor', () => {
  it('a link has a file, an anchor or both; addresses of other sites are left out', () => {
    const text = '[a](b.md#c), [d](#e), [f](https://g.example/#h), <img src="i.svg">'
    expect(linksIn(text)).toEqual([
      { file: 'b.md', anchor: 'c' },
      { file: '', anchor: 'e' },
      { file: 'i.svg', anchor: undefined },
    ])
  })

  it('an anchor has the letters of its heading, with a number where the heading comes again', () => {
    const text = '# Why a job `waits`, and\n\n## State & status\n## [Jobs](x.md)\n## Jobs\n<a id="mine"></a>'
    expect([...anchorsIn(text)]).toEqual(['why-a-job-waits-and', 'state--status', 'jobs', 'jobs-1', 'mine'])
  })
})
