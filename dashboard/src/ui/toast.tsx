/** Short messages at the corner: what a button did, or why it did not. Errors stay until they are closed. */
import { signal } from '@preact/signals'
import { asFailure } from '../api/problem.js'

interface Message {
  readonly id: number
  readonly text: string
  readonly detail: string
  readonly tone: 'plain' | 'bad'
  readonly action?: { readonly label: string; readonly run: () => unknown }
}

const messages = signal<readonly Message[]>([])
let lastId = 0
const SHOWN_MS = 6_000

interface ToastOptions {
  readonly tone?: 'plain' | 'bad'
  readonly detail?: string
  readonly action?: { readonly label: string; readonly run: () => unknown }
}

export function toast(text: string, { tone = 'plain', detail = '', action }: ToastOptions = {}): void {
  const id = ++lastId
  messages.value = [...messages.value.slice(-3), { id, text, detail, tone, action }]
  if (tone !== 'bad') setTimeout(() => close(id), SHOWN_MS)
}

function close(id: number): void {
  messages.value = messages.value.filter((each) => each.id !== id)
}

/** Runs a command and reports it: `await act('Queue paused', () => call(...))`. Undefined: it failed, and a message says why. */
export async function act<T>(
  done: string | ((answer: T) => string),
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    const answer = await run()
    toast(typeof done === 'string' ? done : done(answer))
    return answer
  } catch (error) {
    const failure = asFailure(error)
    toast(failure.message, { tone: 'bad', detail: failure.remedy })
    return undefined
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {messages.value.map(({ id, text, detail, tone, action }) => (
        <div key={id} class={`toast ${tone}`}>
          <div class="grow">
            <p>{text}</p>
            {detail !== '' && <p class="soft small">{detail}</p>}
          </div>
          {action !== undefined && (
            <button
              type="button"
              class="button quiet"
              onClick={() => {
                close(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="button quiet" aria-label="Close message" onClick={() => close(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
