/**
 * JSON without loss: a number that a double cannot hold (an id of twenty digits, a price with thirty decimals) is kept as its text in a
 * BigNumber. It is shown as it was sent, and `writeJson` sends it unchanged.
 */
export class BigNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

interface Source {
  readonly source?: string
}

type WithSource = (
  text: string,
  reviver: (key: string, value: unknown, context?: Source) => unknown,
) => unknown

interface RawJson {
  rawJSON?(text: string): unknown
}

/** More than fifteen digits in a row, or an exponent: only such text can have a number that a double cannot hold. */
const MAY_LOSE = /\d[\d.]{15}|\d[eE]/

/** A reviver is called for each value, takes several times as long and blocks the page. It is left out where no number can lose digits. */
export function parseJson(text: string): unknown {
  if (!MAY_LOSE.test(text)) return JSON.parse(text)
  return (JSON.parse as WithSource)(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && loses(value, context.source)
      ? new BigNumber(context.source)
      : value,
  )
}

export function writeJson(value: unknown, space?: number): string {
  const { rawJSON } = JSON as RawJson
  return JSON.stringify(
    value,
    (_key, each: unknown) =>
      each instanceof BigNumber ? (rawJSON === undefined ? Number(each.text) : rawJSON(each.text)) : each,
    space,
  )
}

/** Fifteen significant digits always survive; above, compare. */
function loses(value: number, source: string): boolean {
  const digits = significant(source)
  if (digits.length <= 15) return !Number.isFinite(value)
  return significant(String(value)) !== digits
}

function significant(number: string): string {
  const [mantissa = ''] = number.toLowerCase().split('e')
  return mantissa.replace(/\D/g, '').replace(/^0+|0+$/g, '')
}
