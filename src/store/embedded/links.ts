// npm packages cannot carry symlinks, so the binaries come with a list of them for a postinstall script to create.
// Many installs forbid such scripts; the links are made here instead, by whoever comes first.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** False when a link is missing and cannot be created there. */
export function linkLibraries(native: string): boolean {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  return links.every(({ source, target }) => {
    const link = join(native, target.replace(/^native\//, ''))
    return createLink(relative(dirname(link), join(native, source.replace(/^native\//, ''))), link)
  })
}

function createLink(to: string, link: string): boolean {
  try {
    symlinkSync(to, link)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}
