/** Reads keys from what a terminal sends: characters, escape sequences of arrows and the like, and pasted text. */

export type TopKey =
  | { readonly name: NamedKey }
  | { readonly name: 'char'; readonly text: string }
  /** Never taken as keys: a pasted `y` must not confirm anything. */
  | { readonly name: 'paste'; readonly text: string }

const SEQUENCES = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[C': 'right',
  '\x1bOC': 'right',
  '\x1b[D': 'left',
  '\x1bOD': 'left',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b[H': 'home',
  '\x1bOH': 'home',
  '\x1b[1~': 'home',
  '\x1b[F': 'end',
  '\x1bOF': 'end',
  '\x1b[4~': 'end',
  '\x1b[Z': 'back-tab',
  '\x1b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'interrupt',
  '\x15': 'clear',
  '\x1a': 'suspend',
  '\f': 'redraw',
} as const

type NamedKey = (typeof SEQUENCES)[keyof typeof SEQUENCES]

const PASTE = { start: '\x1b[200~', end: '\x1b[201~' }

/** A whole escape sequence: CSI with its parameters, SS3 with one character, or Alt with a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const WHOLE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~]|[^[O\x1b])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const CONTROL = /^[\x00-\x1f\x7f-\x9f]$/

/** Keys of a text, and what may be the beginning of one that has not arrived whole. */
export function keysOf(text: string): { readonly keys: TopKey[]; readonly rest: string } {
  const keys: TopKey[] = []
  let rest = text
  while (rest !== '') {
    if (rest.startsWith(PASTE.start)) {
      const end = rest.indexOf(PASTE.end)
      if (end < 0) return { keys, rest }
      keys.push({ name: 'paste', text: rest.slice(PASTE.start.length, end) })
      rest = rest.slice(end + PASTE.end.length)
      continue
    }
    const sequence = rest.startsWith('\x1b') ? WHOLE.exec(rest)?.[0] : undefined
    if (rest.startsWith('\x1b') && sequence === undefined && !rest.startsWith('\x1b\x1b'))
      return { keys, rest }
    const taken = sequence ?? String.fromCodePoint(rest.codePointAt(0) ?? 0)
    const name = SEQUENCES[taken as keyof typeof SEQUENCES]
    if (name !== undefined) keys.push({ name })
    // Other sequences and controls have no meaning here.
    else if (sequence === undefined && !CONTROL.test(taken)) keys.push({ name: 'char', text: taken })
    rest = rest.slice(taken.length)
  }
  return { keys, rest }
}

/** Escape alone is a key, and every sequence begins with it: it counts as the key when nothing follows for this long. */
const ESCAPE_MS = 50
/** A paste that does not end is dropped. */
const PASTE_CHARS_MAX = 10_000

export class KeyReader {
  readonly #onKey: (key: TopKey) => void
  #rest = ''
  #timer: NodeJS.Timeout | undefined

  constructor(onKey: (key: TopKey) => void) {
    this.#onKey = onKey
  }

  receive(text: string): void {
    clearTimeout(this.#timer)
    const { keys, rest } = keysOf(this.#rest + text)
    this.#rest = rest.length > PASTE_CHARS_MAX ? '' : rest
    for (const key of keys) this.#onKey(key)
    if (this.#rest !== '' && !this.#rest.startsWith(PASTE.start))
      this.#timer = setTimeout(() => this.#endOfEscape(), ESCAPE_MS)
  }

  #endOfEscape(): void {
    const isEscape = this.#rest === '\x1b'
    this.#rest = ''
    if (isEscape) this.#onKey({ name: 'escape' })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#rest = ''
  }
}
