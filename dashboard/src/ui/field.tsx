/** Inputs of forms, each with its label, a hint and the problem the server found. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  readonly problem?: string
  readonly children: (attributes: { id: string; 'aria-describedby': string | undefined }) => ComponentChildren
}

function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const describes = hint === undefined && problem === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': describes })}
      {describes !== undefined && (
        <p id={describes} class={problem === undefined ? 'faint small' : 'bad small'}>
          {problem ?? hint}
        </p>
      )}
    </div>
  )
}

interface TextProps {
  readonly label: ComponentChildren
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: ComponentChildren
  readonly problem?: string
  readonly type?: 'text' | 'password' | 'number' | 'url' | 'datetime-local'
  readonly placeholder?: string
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly rows?: number
  readonly mono?: boolean
  readonly maxLength?: number
  readonly autocomplete?: string
}

export function TextField({
  label,
  value,
  onInput,
  hint,
  problem,
  rows,
  mono,
  autofocus,
  type = 'text',
  ...rest
}: TextProps) {
  const focus = (element: HTMLInputElement | HTMLTextAreaElement | null) => {
    if (autofocus && element !== null && !element.dataset.focused) {
      element.dataset.focused = 'yes'
      element.focus()
    }
  }
  const shared = {
    ...rest,
    class: `input${mono ? ' mono' : ''}`,
    value,
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onInput(event.currentTarget.value),
  }
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(attributes) =>
        rows === undefined ? (
          <input {...shared} {...attributes} type={type as 'text'} ref={focus} />
        ) : (
          <textarea {...shared} {...attributes} rows={rows} ref={focus} />
        )
      }
    </Field>
  )
}

interface SelectProps {
  readonly label: ComponentChildren
  readonly value: string
  readonly onInput: (value: string) => void
  readonly choices: readonly (string | readonly [value: string, label: string])[]
  readonly hint?: ComponentChildren
}

export function SelectField({ label, value, onInput, choices, hint }: SelectProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select
          {...attributes}
          class="input"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        >
          {choices.map((each) => {
            const [name, text] = typeof each === 'string' ? [each, each] : each
            return (
              <option key={name} value={name} selected={name === value}>
                {text}
              </option>
            )
          })}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  value,
  onInput,
}: {
  label: ComponentChildren
  value: boolean
  onInput: (value: boolean) => void
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onInput={(event) => onInput(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

/** A few choices beside each other: 1 h · 24 h · 7 d. */
export function Choices<T extends string>({
  label,
  value,
  onInput,
  choices,
}: {
  readonly label: string
  readonly value: T
  readonly onInput: (value: T) => void
  readonly choices: readonly (readonly [value: T, label: string])[]
}) {
  return (
    <div class="choices" role="group" aria-label={label}>
      {choices.map(([name, text]) => (
        <button key={name} type="button" aria-pressed={name === value} onClick={() => onInput(name)}>
          {text}
        </button>
      ))}
    </div>
  )
}
