// The client runs in a browser: nothing it imports at run time knows Node or any package.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** What is left of a file's imports when the types are gone. */
function runtimeImports(text: string): string[] {
  const statements = [...text.matchAll(/^(?:import|export)\s+(?!type\b)([\s\S]*?)\s*from\s*'([^']+)'/gm)]
  const named = statements.filter(([, what = '']) => {
    const [, inBraces] = /^\{([\s\S]*)\}$/.exec(what) ?? []
    return (
      inBraces === undefined ||
      inBraces.split(',').some((name) => name.trim() !== '' && !/^\s*type\s/.test(name))
    )
  })
  const bare = [...text.matchAll(/^import\s*'([^']+)'|\bimport\(\s*['"]([^'"]+)/gm)]
  return [...named.map(([, , from = '']) => from), ...bare.map(([, one, other]) => one ?? other ?? '')]
}

function reached(file: string, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(file)) return seen
  const imports = runtimeImports(readFileSync(join(src, file), 'utf8'))
  seen.set(file, imports)
  for (const name of imports.filter((each) => each.startsWith('.'))) {
    reached(join(dirname(file), name).replace(/\.js$/, '.ts'), seen)
  }
  return seen
}

it('imports nothing but files of its own at run time, and few of them', () => {
  const files = reached('client.ts')
  expect([...files.values()].flat().filter((name) => !name.startsWith('.'))).toEqual([])
  expect([...files.keys()].filter((file) => !/^(client|domain|contract|handles|json)\b/.test(file))).toEqual(
    [],
  )
  expect(files.size).toBeLessThan(27)
  expect([...files.keys()]).toContain('client/transport.ts')
})

it('uses no global that only Node has', () => {
  const nodes = /\b(process|Buffer|require|__dirname|setImmediate|global)\b(?!['"`:])/
  const found = [...reached('client.ts').keys()].flatMap((file) =>
    readFileSync(join(src, file), 'utf8')
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      .replace(/'[^'\n]*'|`[^`]*`/g, "''")
      .split('\n')
      .filter((line) => nodes.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})
