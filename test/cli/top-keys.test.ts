// The keys of `holdfast top`: what a terminal sends, and what each key does to the view.
import { describe, expect, it } from 'vitest'
import { keysOf, type TopKey } from '../../src/cli/top/keys.js'
import { rowsOf } from '../../src/cli/top/rows.js'
import { FIRST_STATE, onKey, type TopEffect, type TopState, type TopTab } from '../../src/cli/top/state.js'
import { SNAPSHOT } from './top-snapshot.js'

const data = { snapshot: SNAPSHOT, jobs: undefined, job: undefined }

/** Presses what a terminal would send, from a state on. */
function press(sent: string, from: Partial<TopState> = {}): { state: TopState; effects: TopEffect[] } {
  let state: TopState = { ...FIRST_STATE, ...from }
  const effects: TopEffect[] = []
  for (const key of keysOf(sent).keys) {
    const step = onKey(state, key, { rows: rowsOf(state, data), pageLines: 10, scrollMax: 7 })
    state = step.state
    if (step.effect !== undefined) effects.push(step.effect)
  }
  return { state, effects }
}

const open = (tab: TopTab, id: string): Partial<TopState> => ({ tab, selected: { [tab]: { id, index: 0 } } })

describe('what a terminal sends', () => {
  const names = (keys: readonly TopKey[]) =>
    keys.map((key) => ('text' in key ? `${key.name} ${key.text}` : key.name))

  it('is read as keys, whatever sequence the terminal has for them', () => {
    const sent = '\x1b[A\x1bOB\x1b[5~\x1b[Z\r\t\x7f\x03\x1aq郵'
    expect(names(keysOf(sent).keys)).toEqual([
      ...['up', 'down', 'page-up', 'back-tab', 'enter', 'tab', 'backspace', 'interrupt', 'suspend'],
      ...['char q', 'char 郵'],
    ])
  })

  it('waits for the rest of a sequence, and ignores those without a meaning', () => {
    expect(keysOf('j\x1b[')).toEqual({ keys: [{ name: 'char', text: 'j' }], rest: '\x1b[' })
    expect(keysOf('\x1b')).toEqual({ keys: [], rest: '\x1b' })
    expect(keysOf('\x1b[1;5C\x1bx\x01').keys).toEqual([])
    expect(names(keysOf('\x1b\x1b[A').keys)).toEqual(['escape', 'up'])
  })

  it('does not take pasted text as keys', () => {
    expect(names(keysOf('\x1b[200~ry\x1b[201~q').keys)).toEqual(['paste ry', 'char q'])
    expect(keysOf('\x1b[200~ry').keys).toEqual([])
    const { state, effects } = press('r\x1b[200~y\x1b[201~', open('targets', 'target sync customer:1'))
    expect(effects).toEqual([])
    expect(state.prompt?.type).toBe('confirm')
  })
})

describe('moving', () => {
  it('stays within the rows, and goes with a row that moves', () => {
    expect(press('k').state.selected.overview).toMatchObject({ index: 0 })
    expect(press('jj').state.selected.overview).toEqual({ id: 'queue mail', index: 2 })
    expect(press('G').state.selected.overview).toMatchObject({ index: 5 })
    expect(press('\x1b[6~jg').state.selected.overview).toMatchObject({ index: 0 })
    const turned = { ...data, snapshot: { ...SNAPSHOT, queues: [...SNAPSHOT.queues].reverse() } }
    const state = { ...FIRST_STATE, ...open('queues', 'queue sync') }
    const { state: moved } = onKey(
      state,
      { name: 'up' },
      { rows: rowsOf(state, turned), pageLines: 9, scrollMax: 0 },
    )
    expect(moved.selected.queues).toEqual({ id: 'queue sync', index: 0 })
  })

  it('changes tabs by number, Tab and arrows', () => {
    expect(press('2').state.tab).toBe('queues')
    expect(press('\t').state.tab).toBe('queues')
    expect(press('\x1b[Z').state.tab).toBe('alerts')
    expect(press('3')).toMatchObject({ state: { tab: 'jobs' }, effects: [{ type: 'refresh' }] })
    expect(press('7').state).toEqual(FIRST_STATE)
  })

  it('scrolls an open job within its bounds', () => {
    const job = { id: 42, part: 'all', scroll: 0 } as const
    expect(press('k', { job }).state.job?.scroll).toBe(0)
    expect(press('jj', { job }).state.job?.scroll).toBe(2)
    expect(press('G', { job }).state.job?.scroll).toBe(7)
    expect(press('j', { job: { ...job, scroll: 7 } }).state.job?.scroll).toBe(7)
  })
})

describe('opening', () => {
  it('goes from a queue to its jobs, and from a problem or a target to its job', () => {
    expect(press('2\r')).toMatchObject({
      state: { tab: 'jobs', filter: 'queue:mail' },
      effects: [{ type: 'refresh' }],
    })
    expect(press('\r').state.job).toEqual({ id: 42, part: 'all', scroll: 0 })
    expect(press('5e').state.job).toEqual({ id: 42, part: 'explain', scroll: 0 })
    expect(press('4\r').state).toMatchObject({ tab: 'jobs', filter: 'worker:web-1' })
  })

  it('goes back with Escape: from a job, then from a filter', () => {
    const job = { id: 42, part: 'all', scroll: 0 } as const
    const opened = { tab: 'jobs', filter: 'queue:mail', job } as const
    const esc = (state: TopState) =>
      onKey(state, { name: 'escape' }, { rows: [], pageLines: 1, scrollMax: 0 }).state
    const list = esc({ ...FIRST_STATE, ...opened })
    expect(list).toMatchObject({ job: null, filter: 'queue:mail' })
    expect(esc(list).filter).toBe('')
  })
})

describe('the filter', () => {
  it('takes the search grammar, and shows a mistake without losing the text', () => {
    const { state, effects } = press('/state:failed age<1h\r')
    expect(state).toMatchObject({ tab: 'jobs', filter: 'state:failed age<1h', prompt: null })
    expect(effects).toEqual([{ type: 'refresh' }])
    const wrong = press('/state:fialed\r')
    expect(wrong.effects).toEqual([])
    expect(wrong.state.prompt).toEqual({ type: 'filter', text: 'state:fialed' })
    expect(wrong.state.message?.text).toContain('Did you mean')
  })

  it('can be edited, pasted into and left', () => {
    expect(press('/ab\x7f\x1b[200~c\nd\x1b[201~').state.prompt).toEqual({ type: 'filter', text: 'ac d' })
    expect(press('/ab\x15').state.prompt).toEqual({ type: 'filter', text: '' })
    expect(press('/q1').state.prompt).toEqual({ type: 'filter', text: 'q1' })
  })
})

describe('commands', () => {
  it.each([
    ['r', 'retry'],
    ['c', 'cancel'],
    ['u', 'resume'],
    ['s', 'skip'],
  ])('%s asks before it does something, and only y does it', (key, verb) => {
    const from = open('targets', 'target sync customer:1')
    const command = { verb, jobId: 42 }
    expect(press(key, from)).toMatchObject({ state: { prompt: { type: 'confirm', command } }, effects: [] })
    expect(press(`${key}y`, from)).toMatchObject({
      state: { prompt: null },
      effects: [{ type: 'run', command }],
    })
    expect(press(`${key}n`, from)).toMatchObject({ state: { prompt: null }, effects: [] })
    expect(press(`${key}xj5\r`, from)).toMatchObject({ state: { prompt: { command } }, effects: [] })
  })

  it('p pauses a queue, and resumes a paused one', () => {
    const pause = { verb: 'pause', queue: 'sync' }
    expect(press('py', open('queues', 'queue sync')).effects).toEqual([{ type: 'run', command: pause }])
    const resume = { verb: 'unpause', queue: 'mail' }
    expect(press('py', open('queues', 'queue mail')).effects).toEqual([{ type: 'run', command: resume }])
  })

  it('names what is missing where no job or queue is selected', () => {
    expect(press('4r').state).toMatchObject({
      prompt: null,
      message: { text: expect.stringContaining('No job') },
    })
    expect(press('4p').state.message?.text).toContain('No queue')
  })

  it('quits with q, and hands Ctrl-C and Ctrl-Z on, also at a question', () => {
    expect(press('q').effects).toEqual([{ type: 'quit' }])
    const from = open('targets', 'target sync customer:1')
    expect(press('r\x03', from).effects).toEqual([{ type: 'interrupt' }])
    expect(press('/\x1a').effects).toEqual([{ type: 'suspend' }])
  })
})
