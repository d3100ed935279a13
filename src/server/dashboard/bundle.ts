/**
 * The built dashboard, read into memory once: it is small, and a name that is not in the map cannot reach a file. The build writes a `.br`
 * and a `.gz` beside each file worth it (scripts/build.js).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The same folder from the sources and from the package. */
const FOLDER = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url))

export interface Asset {
  readonly type: string
  /** By content coding; `identity` is always there. */
  readonly bytes: Readonly<Partial<Record<Coding, Uint8Array>>> & { readonly identity: Uint8Array }
}

type Coding = 'br' | 'gzip' | 'identity'

export interface DashboardBundle {
  /** The page, without its base address. Undefined: it was not built. */
  readonly index: string | undefined
  readonly assets: ReadonlyMap<string, Asset>
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const CODINGS: readonly (readonly [coding: Coding, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

export function readBundle(folder = FOLDER): DashboardBundle {
  const files = new Set(namesIn(folder).map((name) => name.replaceAll('\\', '/')))
  const read = (name: string) => readFileSync(join(folder, name))
  const assets = new Map<string, Asset>()
  for (const name of files) {
    const type = TYPES[extname(name)]
    if (!name.startsWith('assets/') || type === undefined) continue
    const packed = CODINGS.filter(([, ending]) => files.has(name + ending))
    const bytes = Object.fromEntries(packed.map(([coding, ending]) => [coding, read(name + ending)]))
    assets.set(name.slice('assets/'.length), { type, bytes: { identity: read(name), ...bytes } })
  }
  return { index: files.has('index.html') ? read('index.html').toString('utf8') : undefined, assets }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The smallest form that the caller accepts. */
export function codingFor({ bytes }: Asset, accepted = ''): Coding {
  const names = accepted
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase())
  return (['br', 'gzip'] as const).find((each) => bytes[each] && names.includes(each)) ?? 'identity'
}
