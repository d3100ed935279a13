/** Values that programs stumble over, and some that only look like it. */
import type { Random } from '../../chaos/random.js'

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u{FFFF}',
  '\ud800',
  'x\udc00',
  'é'.repeat(300),
  'x'.repeat(101),
  'x'.repeat(257),
  'x'.repeat(1_001),
  '../../etc/passwd',
  "'; drop table holdfast.job; --",
  '<img src=x onerror=alert(1)>',
  '#{7*7}',
  '%00',
  '%',
  '%s%n',
  '\r\nX-Other: y',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-1',
  '0',
  '1e3',
  '0x10',
  '１２',
  '1.5',
  '9'.repeat(16),
  '9'.repeat(30),
  '-9007199254740991',
  '2026-13-45T25:61:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '2026-02-30T00:00:00Z',
  '2026-01-01',
  'now',
  'infinity',
  '__proto__',
  'constructor',
  '*',
  'hf_',
  '\u202egnp',
  '\u{1F4A9}'.repeat(200),
  '{}',
  '[]',
  '1:1:',
  '||||',
  '1:2:1|1:1:|3|4',
  'WyJ4Il0',
  'WzFd',
  'W251bGxd',
  'WzFlMzA4XQ',
  'WyIyMDI2LTAxLTAxIiwxXQ',
  'WyJ5ZXN0ZXJkYXkiLDFd',
  '1.1',
  '0.0',
  '9007199254740991.2147483647',
  '１.１',
]
const NUMBERS = [
  -1,
  0,
  0.5,
  1.5,
  -1.5,
  101,
  1e21,
  1e308,
  -1e308,
  5e-324,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  86_400_001,
]

type Make = (random: Random) => unknown

const text: Make = (random) => random.pick(TEXTS)
const number: Make = (random) =>
  random.chance(0.8) ? random.pick(NUMBERS) : (random.next() - 0.5) * 10 ** random.whole(0, 20)
const noise: Make = (random) =>
  String.fromCharCode(
    ...Array.from({ length: random.whole(0, 120) }, () => random.whole(0, random.pick([0x7f, 0xff, 0xffff]))),
  )
const plain: Make = (random) => random.pick([null, true, false])
const list: Make = (random) =>
  random.pick([() => [], () => [null], () => [[]], () => [1, 'a', {}], () => many(random)])()
const many = (random: Random) =>
  Array.from({ length: random.pick([2, 1_001, 10_001]) }, () => random.pick([1, 'a', null]))
const object: Make = (random) =>
  random.pick([
    () => ({}),
    () => ({ a: 1 }),
    () => ({ length: 1 }),
    () => ({ toString: 'x' }),
    () => deep(random.pick([3, 64, 65, 300])),
    wide,
  ])()
const wide = () => Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, n]))

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let n = 0; n < levels; n++) value = n % 2 === 0 ? [value] : { a: value }
  return value
}

const MAKES: readonly Make[] = [text, text, text, noise, number, number, plain, list, object]

/** Any JSON value. */
export function strangeValue(random: Random): unknown {
  return random.pick(MAKES)(random)
}

/** What can stand in an address or a header. */
export function strangeText(random: Random): string {
  const value = random.chance(0.7)
    ? text(random)
    : random.chance(0.5)
      ? noise(random)
      : String(number(random))
  return value as string
}
