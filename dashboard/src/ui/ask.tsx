/** Asks for a few values in a dialog: `const answer = await ask({ title, action, fields })`. Null: the person changed their mind. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.jsx'
import { Dialog } from './dialog.jsx'
import { SelectField, TextField } from './field.jsx'

export interface AskedField {
  readonly name: string
  readonly label: string
  readonly initial?: string
  readonly hint?: string
  readonly required?: boolean
  readonly choices?: readonly (string | readonly [value: string, label: string])[]
  readonly type?: 'text' | 'number' | 'url' | 'password' | 'datetime-local'
  readonly placeholder?: string
  readonly maxLength?: number
  readonly rows?: number
  readonly mono?: boolean
}

interface Asked {
  readonly title: string
  readonly body?: ComponentChildren
  readonly action: string
  readonly danger?: boolean
  readonly fields: readonly AskedField[]
}

const asked = signal<(Asked & { readonly answer: (values: Record<string, string> | null) => void }) | null>(
  null,
)

/** The values by name, trimmed. */
export function ask(question: Asked): Promise<Record<string, string> | null> {
  return new Promise((answer) => {
    asked.value = {
      ...question,
      answer: (values) => {
        asked.value = null
        answer(values)
      },
    }
  })
}

export function AskHost() {
  return asked.value === null ? null : <AskDialog key={asked.value.title} {...asked.value} />
}

function AskDialog({ title, body, action, danger, fields, answer }: NonNullable<typeof asked.value>) {
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial])),
  )
  const trimmed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]))
  const missing = fields.some(({ name, required }) => required && trimmed[name] === '')
  return (
    <Dialog
      title={title}
      onClose={() => answer(null)}
      onSubmit={() => {
        if (!missing) answer(trimmed)
      }}
      actions={
        <>
          <Button onClick={() => answer(null)}>Close</Button>
          <Button look={danger ? 'danger' : 'primary'} type="submit" disabled={missing}>
            {action}
          </Button>
        </>
      }
    >
      {body !== undefined && <div class="soft">{body}</div>}
      {fields.map(({ name, choices, ...field }, n) => {
        const shared = {
          ...field,
          value: values[name] ?? '',
          onInput: (value: string) => setValues({ ...values, [name]: value }),
        }
        return choices === undefined ? (
          <TextField key={name} {...shared} autofocus={n === 0} />
        ) : (
          <SelectField key={name} {...shared} choices={choices} />
        )
      })}
    </Dialog>
  )
}
