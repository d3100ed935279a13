// Every line of the log carries a stable name, and docs/logs.md lists the names. Each failure names the place.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: read(join('src', file)) }))

/** A handler writes to the log of its own attempt (`ctx.log`), which has no events. */
const CALL = /(?<!ctx\.)\b(?:log|#log|LOG)\??\.(?:debug|info|warn|error)\(\s*/g

/** Calls whose fields are built elsewhere. */
const BUILT_ELSEWHERE = /^(?:lineOf\(|\(|fields|message|at\()/

it('every line of the log has an event', () => {
  const without = source.flatMap(({ file, text }) =>
    [...text.matchAll(CALL)].flatMap((call) => {
      const args = text.slice(call.index + call[0].length, call.index + call[0].length + 60)
      if (/^\{\s*event: '[a-z_]+'/.test(args) || BUILT_ELSEWHERE.test(args)) return []
      return [`src/${file}: ${args.split('\n')[0]}`]
    }),
  )
  expect(without).toEqual([])
})

it('docs/logs.md lists every event, and no other', () => {
  const inSource = source.flatMap(({ text }) =>
    [...text.matchAll(/\bevent: '([a-z_]+)'/g)].map(([, name]) => name),
  )
  const listed = [...read('docs/logs.md').matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)
  expect([...new Set(listed)].sort()).toEqual([...new Set(inSource)].sort())
})
