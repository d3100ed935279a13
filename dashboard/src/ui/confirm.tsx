/** Asks before something happens, with a reason that the history and the audit keep: `const yes = await confirm({ … })`. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.jsx'
import { Dialog } from './dialog.jsx'
import { TextField } from './field.jsx'

interface Question {
  readonly title: string
  readonly body?: ComponentChildren
  /** The text of the button: what happens, not "OK". */
  readonly action: string
  readonly danger?: boolean
  readonly reason?: 'optional' | 'required' | 'none'
}

export interface Confirmed {
  /** For the body of a command: `{ reason }` or nothing. */
  readonly body: { reason?: string }
  readonly reason: string
}

const asked = signal<(Question & { readonly answer: (confirmed: Confirmed | null) => void }) | null>(null)

/** Null: the person changed their mind. */
export function confirm(question: Question): Promise<Confirmed | null> {
  return new Promise((answer) => {
    asked.value = {
      ...question,
      answer: (confirmed) => {
        asked.value = null
        answer(confirmed)
      },
    }
  })
}

export function ConfirmHost() {
  return asked.value === null ? null : <ConfirmDialog key={asked.value.title} {...asked.value} />
}

function ConfirmDialog({
  title,
  body,
  action,
  danger,
  reason: wanted = 'optional',
  answer,
}: NonNullable<typeof asked.value>) {
  const [reason, setReason] = useState('')
  const given = reason.trim()
  return (
    <Dialog
      title={title}
      onClose={() => answer(null)}
      onSubmit={() => answer({ reason: given, body: given === '' ? {} : { reason: given } })}
      actions={
        <>
          <Button look="plain" onClick={() => answer(null)}>
            Keep as it is
          </Button>
          <Button
            look={danger ? 'danger' : 'primary'}
            type="submit"
            disabled={wanted === 'required' && given === ''}
          >
            {action}
          </Button>
        </>
      }
    >
      {body !== undefined && <div class="soft">{body}</div>}
      {wanted !== 'none' && (
        <TextField
          label={wanted === 'required' ? 'Reason' : 'Reason (optional)'}
          value={reason}
          onInput={setReason}
          hint="The history and the audit log keep it."
          maxLength={500}
          required={wanted === 'required'}
          autofocus
        />
      )}
    </Dialog>
  )
}
