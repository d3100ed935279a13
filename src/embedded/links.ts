// Creates the symlinks of the binaries. npm packages cannot contain symlinks, so the packages list them for a postinstall script. Many
// installs forbid such scripts, so the first process that starts Postgres creates them.
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
