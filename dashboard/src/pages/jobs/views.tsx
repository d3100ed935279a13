/** Saved views: searches with a name, shared by the people of a tenant. */
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link } from '../../state/url.js'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { Dialog } from '../../ui/dialog.jsx'
import { TextField } from '../../ui/field.jsx'
import { act } from '../../ui/toast.jsx'
import { query } from './query.js'

/** Counts up when a view was saved or removed. */
const changes = signal(0)

export function Views() {
  const views = useResource(
    (abort) => {
      void changes.value
      return call('GET /api/v1/views', { signal: abort })
    },
    [],
    { live: false },
  )
  const saved = views.data.value?.views ?? []
  if (saved.length === 0) return null
  const remove = async (id: number, name: string) => {
    const yes = await confirm({ title: `Remove the view ${name}?`, action: 'Remove view', danger: true })
    if (yes === null) return
    await act('View removed', () => call('DELETE /api/v1/views/{id}', { params: { id }, body: yes.body }))
    changes.value++
  }
  return (
    <section>
      <h2>Views</h2>
      <ul>
        {saved.map(({ id, name, q }) => (
          <li key={id} class="view">
            <a
              class="facet"
              href={link({ page: 'jobs', q })}
              aria-current={q === query.value || undefined}
              title={q}
            >
              <span class="cut">{name}</span>
            </a>
            {may('operate') && (
              <button
                type="button"
                class="view-remove"
                aria-label={`Remove the view ${name}`}
                onClick={() => remove(id, name)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

export function SaveView() {
  const [open, setOpen] = useState(false)
  if (!may('operate') || query.value === '') return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>Save view…</Button>
      {open && <SaveDialog close={() => setOpen(false)} />}
    </>
  )
}

function SaveDialog({ close }: { readonly close: () => void }) {
  const [name, setName] = useState('')
  const save = async () => {
    const made = await act('View saved', () =>
      call('POST /api/v1/views', { body: { name: name.trim(), q: query.peek() } }),
    )
    if (made === undefined) return
    changes.value++
    close()
  }
  return (
    <Dialog
      title="Save this search"
      onClose={close}
      onSubmit={save}
      actions={
        <>
          <Button onClick={close}>Close</Button>
          <Button look="primary" type="submit" disabled={name.trim() === ''}>
            Save view
          </Button>
        </>
      }
    >
      <p class="mono soft">{query.value}</p>
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        hint="Everyone of your tenant sees it."
        required
        autofocus
      />
    </Dialog>
  )
}
