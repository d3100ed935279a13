import type { Store } from 'holdfast'
import { expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { holdfast } from './run-holdfast.js'

const flagsOf = (store: Store) => ['--url', postgresUrl(), '--schema', store.schema]

/** The same commands at a database, and at a server in front of one. */
const PLACES = {
  database: async () => {
    const store = await freshStore()
    return { store, where: flagsOf(store) }
  },
  server: async () => {
    const { store, url } = await serve(await freshStore())
    return { store, where: ['--server', url] }
  },
}

it.each(['database', 'server'] as const)(
  'schedules are made, shown, steered and deleted at a %s, in words and in JSON',
  async (place) => {
    const { store, where } = await PLACES[place]()
    const say = async (...args: string[]) => {
      const { code, stdout, stderr } = await holdfast(['schedules', ...args, ...where])
      expect({ code, stderr }, `${place}: ${args.join(' ')}`).toEqual({ code: 0, stderr: '' })
      return stdout
    }
    const json = async (...args: string[]) => JSON.parse(await say(...args, '--json'))
    expect(await say('list')).toContain('No schedules yet')
    const fields = [
      '--kind',
      'sweep',
      '--queue',
      'q',
      '--tz',
      'Europe/Berlin',
      '--input',
      '{"a":1}',
      '--overlap',
      'skip',
    ]
    expect(await say('create', 'nightly', '0 3 * * *', ...fields, '--jitter', '5')).toContain(
      'Schedule nightly fires next at',
    )
    expect(await store.schedules.get('nightly')).toMatchObject({
      kind: 'sweep',
      timeZone: 'Europe/Berlin',
      input: { a: 1 },
      overlap: 'skip',
      jitterMs: 5_000,
    })
    expect(await say('list')).toMatch(/nightly +0 3 \* \* \* +Europe\/Berlin +in /)
    expect(await say('show', 'nightly')).toContain('0 3 * * * in Europe/Berlin')
    expect(await json('update', 'nightly', '--expression', '@hourly', '--priority', '9')).toMatchObject({
      priority: 9,
    })
    expect((await json('preview', 'nightly', '--count', '3')).slots).toHaveLength(3)
    expect(await say('disable', 'nightly')).toContain('nightly is disabled')
    expect(await say('explain', 'nightly')).toContain('It is disabled')
    expect(await say('pause', 'nightly', '--reason', 'books')).toBe('nightly is paused now.\n')
    expect(await say('resume', 'nightly')).toBe('nightly is not paused now.\n')
    expect(await say('run', 'nightly')).toMatch(/nightly made job \d+/)
    expect(await say('history', 'nightly')).toContain('manual')
    expect(await say('pause', '--all', '--reason', 'new disks')).toContain('No schedule fires')
    expect(await say('list')).toContain('maintenance window')
    expect(await say('resume', '--all')).toContain('fire again')
    expect(await say('delete', 'nightly')).toContain('is gone')
    expect(await json('list')).toMatchObject({ schedules: [], maintenance: { open: false } })
  },
)

it('what cannot be is refused with a remedy', async () => {
  const store = await freshStore()
  const refused = (...args: string[]) => holdfast(['schedules', ...args, ...flagsOf(store)])
  expect(await refused('create', 'n', '61 * * * *', '--kind', 'k')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('position 1: "61" is no minute'),
  })
  expect(await refused('create', 'n', '@daily')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--kind'),
  })
  expect(await refused('pause')).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') })
  expect(await refused('pause', '--all', '--until', 'noon')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('zone'),
  })
  expect(await refused('preview')).toMatchObject({ code: 2 })
  await store.schedules.create({ name: 'nightly', kind: 'k', expression: '@daily' })
  expect(await refused('update', 'nightly')).toMatchObject({ code: 2 })
  expect(await refused('show', 'nigthly')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Did you mean "nightly"?'),
  })
})
