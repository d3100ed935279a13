/**
 * The search box on top of every page: fields are coloured, a mistake is underlined with its message, fields and values are completed.
 * Enter goes to Jobs with the query in the URL.
 */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { type Choice, completeSearch, parseSearch } from '../../../src/search/search.js'
import { writeValue } from '../../../src/search/tokens.js'
import { go, page, textParam } from '../state/url.js'
import { piecesOf, shownProblem } from './colours.js'
import './search.css'
import { suggest } from './suggest.js'

const query = textParam('q')
const SHOWN = 10

interface Offer {
  readonly start: number
  readonly end: number
  readonly choices: readonly Choice[]
}

const NOTHING: Offer = { start: 0, end: 0, choices: [] }

export function SearchBox() {
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  const mirror = useRef<HTMLDivElement>(null)
  const shown = page.value === 'jobs' ? query.value : ''
  const [text, setText] = useState(shown)
  const [caret, setCaret] = useState<number | null>(null)
  const [offer, setOffer] = useState<Offer>(NOTHING)
  const [chosen, setChosen] = useState(-1)
  const asked = useRef(0)
  useEffect(() => {
    setText(shown)
    setOffer(NOTHING)
  }, [shown])

  const parsed = useMemo(() => parseSearch(text), [text])
  const problem = shownProblem(parsed.problems, caret)
  const choices = offer.choices.slice(0, SHOWN)
  const isOpen = caret !== null && choices.length > 0

  const complete = async (now: string, at: number) => {
    const mine = ++asked.current
    setCaret(at)
    setChosen(-1)
    const { start, end, choices, ask } = completeSearch(now, at)
    const whole = choices.length === 1 && choices[0]?.text === now.slice(start, end)
    setOffer({ start, end, choices: whole ? [] : choices })
    if (ask === undefined) return
    const values = await suggest(ask.field, ask.prefix)
    if (mine !== asked.current) return
    const found = values.map((value) => ({ text: writeValue(value), summary: '' }))
    setOffer({ start, end, choices: [...found, ...choices] })
  }

  const pick = (choice: Choice) => {
    const value = !/[:.]$/.test(choice.text) && offer.start > 0 && /[:,<>=]/.test(text[offer.start - 1] ?? '')
    const rest = text.slice(offer.end)
    const added = `${choice.text}${value && !rest.startsWith(' ') ? ' ' : ''}`
    const next = `${text.slice(0, offer.start)}${added}${rest}`
    const at = offer.start + added.length
    setText(next)
    requestAnimationFrame(() => box.current?.setSelectionRange(at, at))
    void complete(next, at)
  }

  const submit = () => {
    asked.current++
    setOffer(NOTHING)
    setCaret(null)
    if (parsed.problems.length > 0) return
    go({ page: 'jobs', q: text.trim() })
  }

  const keys = (event: KeyboardEvent) => {
    if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      const by = event.key === 'ArrowDown' ? 1 : -1
      setChosen((chosen + by + choices.length + (chosen === -1 && by === -1 ? 1 : 0)) % choices.length)
    } else if (isOpen && (event.key === 'Enter' || event.key === 'Tab') && chosen >= 0) {
      event.preventDefault()
      pick(choices[chosen] as Choice)
    } else if (event.key === 'Escape' && isOpen) {
      // The first Escape closes the list, the second leaves the box.
      event.preventDefault()
      setOffer(NOTHING)
    }
  }

  const scroll = () => {
    if (mirror.current !== null && box.current !== null) mirror.current.scrollLeft = box.current.scrollLeft
  }
  useEffect(scroll, [text])

  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <div ref={mirror} class="search-mirror mono" aria-hidden="true">
        {piecesOf(text, parsed).map(({ text: piece, look, wrong }, n) => (
          <span key={n} class={`search-${look}${wrong && problem !== undefined ? ' wrong' : ''}`}>
            {piece}
          </span>
        ))}
      </div>
      <input
        ref={box}
        data-search
        type="text"
        class={`input mono${text === '' ? '' : ' has-text'}`}
        value={text}
        aria-label="Search jobs"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder="Search jobs — id, key, target, or state:failed kind:charge…"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={(event) => {
          const { value, selectionStart } = event.currentTarget
          setText(value)
          void complete(value, selectionStart ?? value.length)
        }}
        onFocus={(event) => void complete(event.currentTarget.value, event.currentTarget.value.length)}
        onClick={(event) => void complete(event.currentTarget.value, event.currentTarget.selectionStart ?? 0)}
        onBlur={() => setCaret(null)}
        onKeyDown={keys}
        onScroll={scroll}
      />
      <kbd aria-hidden="true">{caret === null ? '/' : 'esc'}</kbd>
      {(isOpen || problem !== undefined) && (
        <div class="search-drop">
          {problem !== undefined && (
            <p id={`${id}-problem`} class="search-problem" role="alert">
              {problem.message}
              {problem.nearest !== undefined && (
                <button
                  type="button"
                  class="button quiet"
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => {
                    const { position, length, nearest = '' } = problem
                    const next = `${text.slice(0, position)}${nearest}${text.slice(position + length)}`
                    setText(next)
                    box.current?.focus()
                  }}
                >
                  Use {problem.nearest}
                </button>
              )}
            </p>
          )}
          {isOpen && (
            <div id={`${id}-list`} role="listbox" aria-label="Completions">
              {choices.map((choice, n) => (
                <div
                  class="search-choice"
                  key={choice.text}
                  id={`${id}-${n}`}
                  role="option"
                  aria-selected={n === chosen}
                  onMouseDown={(event) => {
                    event.preventDefault()
                    pick(choice)
                  }}
                >
                  <span class="mono">{choice.text}</span>
                  <span class="faint cut">{choice.summary}</span>
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </form>
  )
}
