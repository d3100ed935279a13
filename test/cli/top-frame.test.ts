// What `holdfast top` draws, from a snapshot: layout at several sizes, and text that cannot reach the terminal as anything but text.
import { describe, expect, it } from 'vitest'
import { openTerminal, type Paint } from '../../src/cli/terminal/terminal.js'
import { composeFrame, SIZE_MIN, type TopLink, wholeFrame } from '../../src/cli/top/frame.js'
import { paintLine } from '../../src/cli/top/line.js'
import { FIRST_STATE, type TopState } from '../../src/cli/top/state.js'
import { displayWidth, fitted, padded, safeText, wrapped } from '../../src/cli/top/text.js'
import { before, SNAPSHOT, worker } from './top-snapshot.js'

const LINK: TopLink = {
  name: 'postgres://me:***@db.example.org:5432/shop',
  tenant: 'default',
  status: { text: '● live', style: 'green' },
}

function paintOf(env: Record<string, string>): Paint {
  const stream = { isTTY: true, on: () => {} } as unknown as NodeJS.WriteStream
  return openTerminal(stream, stream, env).paint
}

const PLAIN = paintOf({ NO_COLOR: '1' })

function screenOf(
  changes: Partial<TopState> = {},
  { columns = 80, rows = 24, data = {}, link = LINK, paint = PLAIN } = {},
): string[] {
  const shown = { snapshot: SNAPSHOT, jobs: undefined, job: undefined, ...data }
  const { lines } = composeFrame({ ...FIRST_STATE, ...changes }, shown, link, { columns, rows })
  return lines.map((line) => paintLine(line, columns, paint))
}

const job = {
  ...{ id: 42, queue: 'sync', kind: 'pull', state: 'failed', status: 'failed', priority: 0, attempt: 2 },
  ...{
    maxRetries: 3,
    key: null,
    target: null,
    leaseOwner: null,
    createdAt: before(60),
    visibleAt: before(60),
  },
  ...{ finishedAt: before(5), reason: null, lastError: 'connect ECONNREFUSED' },
} as const

describe('the frame', () => {
  it('fills 80×24 with the figures, what needs an operator, queues, workers and targets', () => {
    const screen = screenOf()
    expect(screen).toHaveLength(24)
    for (const line of screen) expect(displayWidth(line), line).toBeLessThanOrEqual(80)
    const text = screen.join('\n')
    expect(screen[0]).toMatch(
      /^holdfast {2}postgres:\/\/me:\*\*\*@db\.example\.org:5432\/shop +● live {2}\d\d:\d\d:\d\d$/,
    )
    expect(screen[1]).toBe('[1 Overview (2)] 2 Queues  3 Jobs  4 Workers  5 Targets (1)  6 Alerts')
    expect(text).toMatch(/now +ready 1,000\+ +running 4\/8 +delayed 3 +waiting 7 +blocked 1\n/)
    expect(text).toMatch(/per minute +in 12\.0 +out 11\.8 +failed 0\.4 +retried 1\.6\n/)
    expect(text).toMatch(/last 24 h +succeeded 12,345 +failed 6 +canceled 1\n/)
    expect(text).toContain('› × Target customer:1 is blocked by job 42 for 3 min')
    expect(text).toContain('    holdfast jobs resume 42\n')
    expect(text).toMatch(/ {2}! The queue mail is paused by ada/)
    expect(text).toMatch(/Queues +ready +oldest +running +delayed +\/min +failed +workers\n/)
    expect(text).toMatch(/ {2}mail +12 +1m +4 +3 +11\.8 +25% +2 +paused\n/)
    expect(text).toMatch(/ {2}sync +1000\+ +- +0 +0 +0 +- +0\n/)
    expect(text).toMatch(/ {2}web-1 +working +4\/8 +3ms +4s +mail\n/)
    expect(screen.at(-1)).toMatch(/^↑↓ move .* q quit +1\/6$/)
  })

  it('uses the room of 140×40: more columns, and everything without scrolling', () => {
    const screen = screenOf({}, { columns: 140, rows: 40 })
    expect(screen).toHaveLength(40)
    const text = screen.join('\n')
    expect(text).toMatch(/Queues .*delayed +waiting +blocked .*why\n/)
    expect(text).toContain('by ada: provider down')
    expect(text).toMatch(/ {2}customer:1 +sync +42 +errored \(ERROR\) +3m +7 +token limit exceeded\n/)
    expect(text).toContain('Alerts  none')
    expect(text).not.toContain('more')
  })

  it('asks for more room below the smallest size, at its edges', () => {
    const { columns, rows } = SIZE_MIN
    expect(screenOf({}, { columns, rows })[0]).toMatch(/^holdfast/)
    for (const size of [
      { columns: columns - 1, rows },
      { columns, rows: rows - 1 },
    ]) {
      const screen = screenOf({}, size)
      expect(screen.join(' ')).toContain(`holdfast top needs ${columns}×${rows}`)
      expect(screen.length).toBeLessThanOrEqual(size.rows)
    }
  })

  it('keeps the selected row visible in a list that does not fit', () => {
    const queues = Array.from({ length: 200 }, (_, n) => ({ ...SNAPSHOT.queues[0], name: `queue-${n}` }))
    const data = { snapshot: { ...SNAPSHOT, queues } as typeof SNAPSHOT }
    for (const index of [0, 90, 199]) {
      const selected = { queues: { id: `queue queue-${index}`, index } }
      const screen = screenOf({ tab: 'queues', selected }, { data })
      expect(screen.filter((line) => line.startsWith('›'))).toEqual([
        expect.stringMatching(new RegExp(`^› queue-${index} `)),
      ])
    }
  })

  it('shows jobs with their filter, a question on the last line, and a refusal above it', () => {
    const data = { jobs: { filter: 'state:failed', rows: [job], more: false } }
    const asking = { type: 'confirm', command: { verb: 'retry', jobId: 42 } } as const
    const message = {
      text: 'Refused: The key lacks the scope operate. Use another key.',
      style: 'red',
    } as const
    const screen = screenOf({ tab: 'jobs', filter: 'state:failed', prompt: asking, message }, { data })
    expect(screen[3]).toBe('  filter  state:failed')
    expect(screen.join('\n')).toMatch(/› +42 +failed +sync +pull +2\/4 +1m +connect ECONNREFUSED\n/)
    expect(screen.slice(-2)).toEqual([message.text, 'Retry job 42? y/n'])
  })

  it('shows since when the connection is lost, and why', () => {
    const link = {
      ...LINK,
      status: { text: '× lost since 07:00:01', style: 'red' as const },
      failure: 'The database cannot be reached. Trying again.',
    }
    const screen = screenOf({}, { link })
    expect(screen[0]).toContain('× lost since 07:00:01')
    expect(screen.at(-2)).toBe('The database cannot be reached. Trying again.')
  })

  it('has every line in full where there is no screen', () => {
    const lines = wholeFrame(SNAPSHOT, LINK, Number.POSITIVE_INFINITY).map((line) =>
      paintLine(line, Number.POSITIVE_INFINITY, PLAIN),
    )
    expect(lines.join('\n')).toContain('customer:1')
    expect(lines.join('\n')).not.toMatch(/…|›/)
  })

  it('uses colours only where the terminal has them', () => {
    expect(screenOf({}, { paint: paintOf({}) }).join('')).toContain('\x1b[31m')
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect(screenOf({}, { paint: paintOf(env as Record<string, string>) }).join('')).not.toContain('\x1b')
  })
})

describe('data on the screen', () => {
  const HOSTILE = [
    '\x1b]0;owned\x07',
    '\x1b[2J\x1b[H',
    '\x9b31m',
    '\x1b[?1049l',
    'a\r\nb\tc\bd',
    '\u202egnp.exe',
    '\u200b\u2066x\u2069',
    '\ud800',
    `e${'\u0301'.repeat(50)}`,
  ].join(' ')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  const FORBIDDEN = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/

  it('never holds a control, an escape sequence or a character that reorders others', () => {
    expect(safeText(HOSTILE)).not.toMatch(FORBIDDEN)
    expect(safeText(HOSTILE)).toContain(']0;owned')
    expect(safeText(HOSTILE)).toContain('a b c')
    expect(displayWidth(safeText(`e${'\u0301'.repeat(50)}`))).toBe(1)
  })

  it('is safe in every view, wherever it comes from', () => {
    const [problem] = SNAPSHOT.problems
    const [target] = SNAPSHOT.targets
    const snapshot = {
      ...SNAPSHOT,
      problems: [{ ...problem, text: HOSTILE, next: HOSTILE }],
      queues: SNAPSHOT.queues.map((queue) => ({ ...queue, name: HOSTILE, pauseReason: HOSTILE })),
      workers: [{ ...worker, worker: HOSTILE, queues: [HOSTILE], appVersion: HOSTILE }],
      targets: [{ ...target, target: HOSTILE, lastError: HOSTILE }],
    } as typeof SNAPSHOT
    const jobs = { filter: HOSTILE, more: true, rows: [{ ...job, kind: HOSTILE, lastError: HOSTILE }] }
    const states: Partial<TopState>[] = [
      ...(['overview', 'queues', 'workers', 'targets', 'alerts'] as const).map((tab) => ({ tab })),
      { tab: 'jobs', filter: HOSTILE },
      { prompt: { type: 'filter', text: HOSTILE } },
      { prompt: { type: 'confirm', command: { verb: 'pause', queue: HOSTILE } } },
      { message: { text: HOSTILE, style: 'red' } },
    ]
    const link = { ...LINK, name: HOSTILE, tenant: HOSTILE, failure: HOSTILE }
    for (const state of states)
      for (const line of screenOf(state, { columns: 140, data: { snapshot, jobs }, link })) {
        expect(line).not.toMatch(FORBIDDEN)
        expect(displayWidth(line), line).toBeLessThanOrEqual(140)
      }
  })

  it('is measured in columns: wide characters take two, marks none', () => {
    expect(['mail', '郵便', '📨', 'e\u0301', 'ｍ'].map(displayWidth)).toEqual([4, 4, 2, 1, 2])
    expect(fitted('郵便番号', 5)).toBe('郵便…')
    expect(fitted('郵便番号', 4)).toBe('郵…')
    expect(fitted('郵便番号', 8)).toBe('郵便番号')
    expect(padded('郵', 4)).toBe('郵  ')
    expect(padded('7', 3, true)).toBe('  7')
    expect(wrapped('a long-unbroken sentence', 6)).toEqual(['a', 'long-u', 'nbroke', 'n', 'senten', 'ce'])
    expect(wrapped('', 6)).toEqual([''])
  })
})
