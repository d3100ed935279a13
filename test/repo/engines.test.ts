// `npm ci` prints no warning about engines on the oldest Node that the package supports, and the lockfile names no registry.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
const { engines } = read('package.json') as { engines: { node: string } }
const { packages } = read('package-lock.json') as {
  packages: Record<string, { engines?: { node?: string } | string[]; resolved?: string }>
}

const OLDEST = engines.node.replace('>=', '')

function numbers(version: string): [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version
    .replace(/^v/, '')
    .split('.')
    .map((part) => Number.parseInt(part, 10) || 0)
  return [major, minor, patch]
}

function compare(one: string, other: string): number {
  const [a, b] = [numbers(one), numbers(other)]
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

/** The part of semantic ranges that package files use for Node. */
function satisfies(version: string, range: string): boolean {
  return range.split('||').some((each) =>
    each
      .replaceAll(/([<>]=?|[\^~=])\s+/g, '$1')
      .trim()
      .split(/\s+/)
      .every((part) => {
        const [, sign = '', wanted = ''] = /^([<>]=?|[\^~=]?)(.*)$/.exec(part) ?? []
        if (wanted === '' || /^[*x]/.test(wanted)) return true
        if (sign === '>=') return compare(version, wanted) >= 0
        if (sign === '>') return compare(version, wanted) > 0
        if (sign === '<') return compare(version, wanted) < 0
        if (sign === '<=') return compare(version, wanted) <= 0
        const same = numbers(version)[0] === numbers(wanted)[0]
        return sign === '^' ? same && compare(version, wanted) >= 0 : same
      }),
  )
}

it('6.18 every package of the lockfile runs on the oldest Node that is supported', () => {
  expect(satisfies('20.19.0', '>=22')).toBe(false)
  expect(satisfies('20.19.0', '^20.19.0 || >=22.12.0')).toBe(true)
  const refused = Object.entries(packages).filter(([, { engines: wants }]) => {
    const node = Array.isArray(wants) ? undefined : wants?.node
    return node !== undefined && !satisfies(OLDEST, node)
  })
  expect(refused.map(([name, { engines: wants }]) => `${name} ${JSON.stringify(wants)}`)).toEqual([])
})

it('6.18 the lockfile names no registry', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
