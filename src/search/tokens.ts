/**
 * Splits a search into tokens, each with its position. Together they cover the whole text, so an editor can colour it token by token.
 * Nothing is refused here: what does not fit is a token of its own, which the parser explains.
 */

type TokenType =
  | 'space'
  /** `-` before a term. */
  | 'not'
  | 'field'
  /** `:`, `>`, `>=`, `<`, `<=` and mistakes such as `=`. */
  | 'operator'
  | 'value'
  | 'comma'
  /** Text without a field. */
  | 'keyword'

export interface Token {
  readonly type: TokenType
  readonly start: number
  readonly end: number
  /** Without quotes and escapes. */
  readonly text: string
  readonly quoted?: boolean
  /** A quote without its end. */
  readonly open?: boolean
}

const SPACE = /\s+/y
const TERM = /(-?)([A-Za-z_][\w.@$/-]*)(:?(?:>=|<=|=>|=<|!=|==|>|<|=)|:)/y
const BARE = /[^\s,"][^\s,]*/y
const KEYWORD = /[^\s"][^\s]*/y

export function tokens(text: string): Token[] {
  const found: Token[] = []
  let at = 0
  const push = (type: TokenType, end: number, plain = text.slice(at, end), more: Partial<Token> = {}) => {
    found.push({ type, start: at, end, text: plain, ...more })
    at = end
  }
  while (at < text.length) {
    const space = endOf(SPACE, text, at)
    if (space > at) {
      push('space', space)
      continue
    }
    TERM.lastIndex = at
    const term = TERM.exec(text)
    if (term !== null) {
      const [, not = '', field = '', operator = ''] = term
      if (not !== '') push('not', at + 1)
      push('field', at + field.length)
      push('operator', at + operator.length)
      at = pushValues(text, at, push)
      continue
    }
    if (text[at] === '-' && /[^\s-]/.test(text[at + 1] ?? '')) push('not', at + 1)
    if (text[at] === '"') {
      const { end, plain, open } = quotedAt(text, at)
      push('keyword', end, plain, { quoted: true, ...(open ? { open } : {}) })
    } else push('keyword', endOf(KEYWORD, text, at))
  }
  return found
}

type Push = (type: TokenType, end: number, plain?: string, more?: Partial<Token>) => void

/** The values after an operator, up to the next space; returns where they end. */
function pushValues(text: string, start: number, push: Push): number {
  let at = start
  while (at < text.length && !/\s/.test(text[at] ?? '')) {
    if (text[at] === ',') {
      at += 1
      push('comma', at)
    } else if (text[at] === '"') {
      const { end, plain, open } = quotedAt(text, at)
      at = end
      push('value', at, plain, { quoted: true, ...(open ? { open } : {}) })
    } else {
      at = endOf(BARE, text, at)
      push('value', at)
    }
  }
  return at
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}

/** The quoted text that begins here. A backslash makes the next character plain. */
function quotedAt(text: string, start: number): { end: number; plain: string; open: boolean } {
  let plain = ''
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') return { end: at + 1, plain, open: false }
    if (character === '\\' && at + 1 < text.length) at += 1
    plain += text[at]
  }
  return { end: text.length, plain, open: true }
}

/** A value as it is written in a search: quoted where it must be. */
export function writeValue(value: string): string {
  return value === '' || /[\s,"\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
}
