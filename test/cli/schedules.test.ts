import type { Store } from 'holdfast/store'
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

type Place = keyof typeof PLACES
const EACH = Object.keys(PLACES) as Place[]

async function at(place: Place) {
  const { store, where } = await PLACES[place]()
  const say = async (...args: string[]) => {
    const { code, stdout, stderr } = await holdfast(['schedules', ...args, ...where])
    expect({ code, stderr }, `${place}: ${args.join(' ')}`).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  return { store, say, json: async (...args: string[]) => JSON.parse(await say(...args, '--json')) }
}

it.each(EACH)(
  'schedules are made, shown, changed and deleted at a %s, in words and in JSON',
  async (place) => {
    const { store, say, json } = await at(place)
    expect(await say()).toContain('No schedules yet')
    const job = ['--kind', 'sweep', '--queue', 'q', '--input', '{"a":1}']
    const rules = ['--tz', 'Europe/Berlin', '--overlap', 'skip', '--jitter', '5']
    expect(await say('create', 'nightly', '0 3 * * *', ...job, ...rules)).toContain(
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
    const subject = ['--subject', 'books', '--description', 'sweeps']
    expect(
      await json('update', 'nightly', '--expression', '@hourly', '--priority', '9', ...subject),
    ).toMatchObject({ priority: 9, subject: 'books', description: 'sweeps' })
    expect(await json('update', 'nightly', '--subject', '', '--description', '')).toMatchObject({
      subject: null,
      description: null,
    })
    expect((await json('preview', 'nightly', '--count', '3')).slots).toHaveLength(3)
    expect(await say('run', 'nightly')).toMatch(/nightly enqueued job \d+/)
    expect(await say('history', 'nightly')).toContain('manual')
    expect(await say('remove', 'nightly')).toContain('is removed')
    expect(await json('list')).toMatchObject({ schedules: [], maintenance: { open: false } })
  },
)

it.each(EACH)(
  'what holds a schedule at a %s is said by every command that could let it go on',
  async (place) => {
    const { store, say } = await at(place)
    await store.schedules.create({ name: 'nightly', kind: 'sweep', expression: '@hourly' })
    expect(await say('disable', 'nightly')).toContain('nightly is disabled')
    expect(await say('explain', 'nightly')).toContain('It is disabled')
    expect(await say('pause', 'nightly', '--reason', 'books')).toContain('nightly is disabled')
    expect(await say('enable', 'nightly')).toBe(
      'nightly is paused; `holdfast schedules resume nightly` resumes it.\n',
    )
    expect(await say('pause', 'nightly')).toBe('nightly was paused already.\n')
    expect(await say('list')).toContain('paused')
    expect(await say('resume', 'nightly')).toMatch(/^nightly fires next at .*, in .*\.\n$/)
    expect(await say('resume', 'nightly')).toBe('nightly was not paused.\n')
    const end = ['--until', '2090-01-31T12:00:00Z']
    expect(await say('pause', '--all', '--reason', 'new disks', ...end)).toMatch(
      /^No schedule fires until 2090-01-31 .*, or until `holdfast schedules resume --all`\.\n$/,
    )
    expect(await say('list')).toMatch(/maintenance window .* since .* until 2090-01-31 .*: new disks\./)
    expect((await say('show', 'nightly')).replace(/\s+/g, ' ')).toContain(
      'held by a maintenance window since',
    )
    expect(await say('resume', '--all')).toContain('fire again')
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
  expect(await refused('pause', 'n', '--until', '2090-01-31T12:00:00Z')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('maintenance window'),
  })
  expect(await refused('preview')).toMatchObject({ code: 2 })
  await store.schedules.create({ name: 'nightly', kind: 'k', expression: '@daily' })
  expect(await refused('update', 'nightly')).toMatchObject({ code: 2 })
  expect(await refused('show', 'nigthly')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Did you mean "nightly"?'),
  })
})

it('every schedule is listed, however many there are, and a new one that is disabled says so', async () => {
  const store = await freshStore()
  const names = Array.from({ length: 501 }, (_, n) => `s${n}`)
  for (const name of names) await store.schedules.create({ name, kind: 'k', expression: '@daily' })
  const { url } = await serve(store)
  for (const where of [flagsOf(store), ['--server', url]]) {
    const { stdout } = await holdfast(['schedules', 'list', '--json', ...where])
    const listed: string[] = JSON.parse(stdout).schedules.map(({ name }: { name: string }) => name)
    expect(listed).toEqual(expect.arrayContaining(names))
    expect(listed).toHaveLength(501)
  }
  const make = ['create', 'later', '@daily', '--kind', 'k', '--disabled', ...flagsOf(store)]
  expect((await holdfast(['schedules', ...make])).stdout).toContain(
    'Schedule later is disabled; `holdfast schedules enable later` lets it fire.',
  )
})
