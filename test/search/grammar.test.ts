import { describe, expect, it } from 'vitest'
import { parseSearch, printSearch, type SearchProblem } from '../../src/search/search.js'

const termsOf = (text: string) => {
  const { filter, problems } = parseSearch(text)
  expect(problems).toEqual([])
  return filter.terms
}
/** The first mistake, with the part of the text that it marks. */
const mistakeIn = (text: string) => {
  const [problem] = parseSearch(text).problems
  const { position, length, message, nearest } = problem as SearchProblem
  return [text.slice(position, position + length), message, ...(nearest === undefined ? [] : [nearest])]
}
const text = (field: string, values: string[], more: object = {}) => ({
  is: 'text',
  field,
  not: false,
  values,
  ...more,
})
const range = (field: string, bounds: object) => ({ is: 'range', field, not: false, ...bounds })
const at = (value: number | string, inclusive = true) => ({ value, inclusive })

describe('terms', () => {
  it.each<[string, object]>([
    ['state:failed', text('state', ['failed'])],
    ['state:FAILED,parked', text('state', ['failed', 'parked'])],
    ['queue:a,b', text('queue', ['a', 'b'])],
    ['-kind:noise', text('kind', ['noise'], { not: true })],
    ['kind:charge-*', text('kind', ['charge-*'])],
    ['kind:"a*b"', text('kind', ['a\\*b'])],
    ['key:customer:42', text('key', ['customer:42'])],
    ['key:"with space",b', text('key', ['with space', 'b'])],
    ['target:"say \\"hi\\""', text('target', ['say "hi"'])],
    ['worker:web-1', text('worker', ['web-1'])],
    ['version:1.4.2', text('version', ['1.4.2'])],
    ['id:1,#2', text('id', ['1', '2'])],
    ['id:100..200', range('id', { from: at(100), to: at(200) })],
    ['id>7', range('id', { from: at(7, false) })],
    ['trace:4bf92f3577b34da6a3ce929d0e0e4736', text('trace', ['4bf92f3577b34da6a3ce929d0e0e4736'])],
    ['label.team:core', text('label', ['core'], { path: ['team'] })],
    ['label.k8s.io/app:web', text('label', ['web'], { path: ['k8s.io/app'] })],
    ['input.user.id:42', text('input', ['42'], { path: ['user', 'id'] })],
    ['input.items.0.sku:"a,b"', text('input', ['a,b'], { path: ['items', '0', 'sku'] })],
    ['input.amount>100', range('input', { path: ['amount'], from: at(100, false) })],
    ['input.amount:1.5..2', range('input', { path: ['amount'], from: at(1.5), to: at(2) })],
    ['input.amount<=-3', range('input', { path: ['amount'], to: at(-3) })],
    ['input:"u_1926"', text('input', ['u_1926'])],
    ['error:"timeout"', text('error', ['timeout'])],
    ['age>1h', range('age', { from: at(3_600_000, false) })],
    ['age:>1h', range('age', { from: at(3_600_000, false) })],
    ['age<=1h30m', range('age', { to: at(5_400_000) })],
    ['attempts>=3', range('attempts', { from: at(3) })],
    ['attempts:3', range('attempts', { from: at(3), to: at(3) })],
    ['priority>50', range('priority', { from: at(50, false) })],
    ['created:2026-11-01..', range('created', { from: at('2026-11-01T00:00:00.000Z') })],
    [
      'created:2026-11-01',
      range('created', { from: at('2026-11-01T00:00:00.000Z'), to: at('2026-11-02T00:00:00.000Z', false) }),
    ],
    ['finished:..2026-11', range('finished', { to: at('2026-12-01T00:00:00.000Z', false) })],
    ['created>2026-11-01T09:30+01:00', range('created', { from: at('2026-11-01T08:31:00.000Z') })],
    ['created<2026-11-01', range('created', { to: at('2026-11-01T00:00:00.000Z', false) })],
    ['#18231', { is: 'keyword', keyword: '#18231' }],
    ['order-42', { is: 'keyword', keyword: 'order-42' }],
    ['customer:42', { is: 'keyword', keyword: 'customer:42' }],
    ['https://example.com/a?b=c', { is: 'keyword', keyword: 'https://example.com/a?b=c' }],
    ['"two keywords"', { is: 'keyword', keyword: 'two keywords' }],
  ])('reads %s, and writes what reads as the same', (query, expected) => {
    const [term, ...others] = termsOf(query)
    expect(others).toEqual([])
    expect(term).toEqual(expected)
    expect(termsOf(printSearch({ terms: termsOf(query) }))).toEqual([expected])
  })

  it('joins terms: all of them must match', () => {
    const query = 'state:failed queue:a,b -kind:noise error:"timeout" age>1h attempts>=3 created:2026-11-01..'
    expect(termsOf(query)).toHaveLength(7)
    expect(printSearch({ terms: termsOf(query) })).toBe(
      'state:failed queue:a,b -kind:noise error:timeout age>1h attempts>=3 created>=2026-11-01',
    )
    expect(termsOf('')).toEqual([])
    expect(termsOf('  \t ')).toEqual([])
  })

  it('allows comparisons, labels, errors and exclusions more than once', () => {
    expect(
      termsOf('attempts>=3 attempts<5 label.a:1 label.b:2 error:a error:b -kind:a -kind:b'),
    ).toHaveLength(8)
  })
})

describe('mistakes', () => {
  it.each<[string, string, string | RegExp, string?]>([
    ['stat:failed', 'stat', 'There is no field "stat".', 'state'],
    ['queue:a kidn:x', 'kidn', 'There is no field "kidn".', 'kind'],
    ['queue:a customer:42', 'customer:42', 'There is no field "customer". Text with a colon needs quotes.'],
    ['user.id:42', 'user.id', 'There is no field "user.id".', 'input.user.id'],
    ['state:failed tenant:a', 'tenant:a', 'There is no field "tenant". Text with a colon needs quotes.'],
    ['state:faild', 'faild', 'There is no state "faild".', 'failed'],
    ['state:failed,', ',', 'A value is missing after this comma.'],
    ['queue:,a', ',', 'A value is missing before this comma.'],
    ['queue:"a""b"', '"b"', 'A comma or a space must separate two values.'],
    ['queue:', 'queue', 'The field queue has no value.', 'queue:mail'],
    ['queue', 'queue', 'The field queue has no value.', 'queue:mail'],
    ['error:"timeout', '"timeout', 'This quote has no end.', '"timeout"'],
    ['state=failed', '=', 'There is no operator "=".', ':'],
    ['attempts=>3', '=>', 'There is no operator "=>".', '>='],
    ['state!=failed', '!=', 'Exclude with a minus sign, as in -state:value.', ':'],
    ['queue>a', 'queue', 'queue is compared with a colon, as in queue:mail.', 'queue:'],
    ['label:a', 'label', 'label needs a name, as in label.team:core.', 'label.team:core'],
    ['queue.x:a', 'queue.x', 'queue has no fields of its own.', 'queue'],
    ['input..a:1', 'input..a', /^A part of the path is empty/],
    ['age>soon', 'soon', /^age takes a duration/],
    ['age<400000w', '400000w', /^age takes a duration, .* of at most 1000 years/],
    ['attempts>many', 'many', 'attempts takes a whole number.'],
    ['attempts:1,2', '2', /^attempts takes one value or a range/],
    ['created:yesterday', 'yesterday', /^created takes a time/],
    ['created:2026-02-30', '2026-02-30', /^created takes a time/],
    [
      'created:2026-11-02..2026-11-01',
      '2026-11-02..2026-11-01',
      'This range ends before it begins.',
      '2026-11-01..2026-11-02',
    ],
    ['attempts:1..2..3', '1..2..3', /^A range has two ends/],
    ['input.amount>lots', 'lots', /^input.amount is compared with a number here/],
    ['id:x', 'x', /^An id is a number/],
    ['-keyword', 'keyword', 'Only a field can be excluded, as in -kind:keyword.', 'kind:keyword'],
    [
      'state:failed state:queued',
      'state:queued',
      /^The field state is there already; write state:failed,queued/,
    ],
    ['error:""', '""', 'Empty text is in every job; remove this term.'],
    ['""', '""', 'Empty quotes match nothing; remove them.'],
  ])('in %s it marks the mistake', (query, marked, message, nearest) => {
    const [part, sentence, instead] = mistakeIn(query)
    expect(part).toBe(marked)
    expect(sentence).toMatch(
      message instanceof RegExp ? message : new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
    )
    expect(instead).toBe(nearest)
  })

  it('reports every mistake, and keeps the terms without one', () => {
    const { filter, problems } = parseSearch('stat:failed queue:mail age>soon')
    expect(problems.map(({ position }) => position)).toEqual([0, 27])
    expect(filter.terms).toEqual([text('queue', ['mail'])])
  })
})

describe('limits', () => {
  it('takes 30 terms and no more', () => {
    const terms = (count: number) => Array.from({ length: count }, (_, n) => `-kind:k${n}`).join(' ')
    expect(parseSearch(terms(29)).problems).toEqual([])
    expect(parseSearch(terms(30)).problems).toEqual([])
    expect(mistakeIn(terms(31))).toEqual(['-kind:k30', 'A search has at most 30 terms.'])
  })

  it('takes 100 values of a field and no more', () => {
    const values = (count: number) => `id:${Array.from({ length: count }, (_, n) => n + 1).join(',')}`
    expect(parseSearch(values(99)).problems).toEqual([])
    expect(parseSearch(values(100)).problems).toEqual([])
    expect(mistakeIn(values(101))).toEqual(['101', 'A field has at most 100 values.'])
  })

  it('takes 2,000 characters and no more', () => {
    const query = (chars: number) => `key:${'k'.repeat(chars - 4)}`
    expect(parseSearch(query(1999)).problems).toEqual([])
    expect(parseSearch(query(2000)).problems).toEqual([])
    expect(mistakeIn(query(2001))).toEqual(['k', 'A search has at most 2000 characters.'])
  })
})

describe('tokens', () => {
  it('cover the whole text, whatever it is', () => {
    const samples = [
      '',
      ' a:b  "c',
      '-',
      '--a',
      ',,',
      '"',
      'a:"b\\',
      ':x',
      '>',
      'a::b',
      '-a:b,"c d",e  -"x"',
      '日本:語 input.ключ:1',
    ]
    for (const sample of samples) {
      const { tokens } = parseSearch(sample)
      expect(tokens.map(({ start, end }) => sample.slice(start, end)).join('')).toBe(sample)
    }
  })

  it('name the parts of a term', () => {
    const { tokens } = parseSearch('-kind:a,"b" x')
    expect(tokens.map(({ type }) => type)).toEqual([
      ...['not', 'field', 'operator', 'value', 'comma', 'value', 'space', 'keyword'],
    ])
  })
})
