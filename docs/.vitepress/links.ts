/**
 * Links of the pages are paths in the repository, so that they work there too. In the site, a link to a page leads to its address, a link
 * to a picture to a copy of it, and a link to any other file of the repository is text that names the path; with `repository` in
 * package.json (the release sets it) it leads to that file there.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { addressOf, root, sitePages } from './pages.js'

const pages = new Set(sitePages())
const { repository, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const files = repository?.url?.replace(/^git\+|\.git$/g, '')

/** The pictures that pages link to, by their path in the repository. */
export const linkedPictures = new Set<string>()

export interface Target {
  /** Undefined: no link, only text. */
  readonly href?: string
  /** The path in the repository, where the target is not a part of the site. */
  readonly file?: string
}

/** Where a link leads that stands as `href` in a page of the repository. Undefined: it stays as it is. */
export function targetOf(page: string, href: string): Target | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(href)) return undefined
  const [path = '', anchor = ''] = href.split(/(?=#)/)
  const file = posix.join(posix.dirname(page), decodeURI(path)).replace(/\/$/, '')
  if (file === 'README.md' || file === '.') return { href: '/' }
  const found = [file, `${file}/README.md`].find((each) => pages.has(each))
  if (found !== undefined) return { href: `/${addressOf(found)}${anchor}` }
  if (!existsSync(join(root, file))) return undefined
  if (/^docs\/.*\.(svg|png|webp)$/.test(file)) {
    linkedPictures.add(file)
    return { href: `/${addressOf(file)}` }
  }
  return files === undefined ? { file } : { href: `${files}/blob/v${version}/${file}`, file }
}

/** Before a relative address of a picture in HTML. Without the dot, the bundler takes the address for the name of a package. */
const PICTURE = /(\b(?:src|srcset)=")(?![a-z]+:|[./])/g

interface Token {
  type: string
  content: string
  tag: string
  children: Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
  attrs: [string, string][] | null
}

interface Markdown {
  core: { ruler: { push(name: string, rule: (state: { tokens: Token[]; env: Env }) => void): void } }
}

interface Env {
  readonly realPath?: string
  readonly path: string
}

export function repositoryLinks(markdown: unknown): void {
  ;(markdown as Markdown).core.ruler.push('repository_links', ({ tokens, env }) => {
    const page = relative(root, env.realPath ?? env.path).replaceAll('\\', '/')
    for (const token of tokens) {
      rewriteLinks(token.children ?? [], page)
      for (const html of [token, ...(token.children ?? [])].filter(({ type }) => /^html_/.test(type)))
        html.content = html.content.replace(PICTURE, '$1./')
    }
  })
}

function rewriteLinks(tokens: Token[], page: string): void {
  let isText = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = targetOf(page, token.attrGet('href') ?? '')
      isText = target !== undefined && target.href === undefined
      if (target?.href !== undefined) token.attrSet('href', target.href)
      // A picture is no page of the site: the browser opens it beside.
      if (target?.href && /\.(svg|png|webp)$/.test(target.href)) token.attrSet('target', '_blank')
      if (isText) {
        token.type = 'span_open'
        token.tag = 'span'
        token.attrs = [
          ['class', 'in-repository'],
          ['title', `${target?.file} in the repository`],
        ]
      }
    }
    if (token.type === 'link_close' && isText) {
      token.type = 'span_close'
      token.tag = 'span'
      isText = false
    }
  }
}
