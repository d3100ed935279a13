/** A native <dialog>: focus stays inside, Escape closes, the rest of the page is inert. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface DialogProps {
  readonly title: ComponentChildren
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Buttons at the bottom; inside the form when `onSubmit` is given. */
  readonly actions?: ComponentChildren
  /** While a promise is pending the form is busy and cannot be submitted again. */
  readonly onSubmit?: () => unknown
  readonly wide?: boolean
  /** No visible title: a command palette. */
  readonly bare?: boolean
}

/** Open while it is rendered. */
export function Dialog({
  title,
  onClose,
  children,
  actions,
  onSubmit,
  wide = false,
  bare = false,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    return () => before?.focus?.()
  }, [])
  const sending = useRef(false)
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    if (sending.current) return
    const answer = onSubmit?.()
    if (!(answer instanceof Promise)) return
    sending.current = true
    setBusy(true)
    await answer.finally(() => {
      sending.current = false
      setBusy(false)
    })
  }
  const body = (
    <>
      <header class={bare ? 'hidden-visually' : 'dialog-head'}>
        <h2 id={id}>{title}</h2>
      </header>
      <div class={bare ? '' : 'dialog-body'}>{children}</div>
      {actions !== undefined && <footer class="dialog-foot row">{actions}</footer>}
    </>
  )
  return (
    <dialog
      ref={dialog}
      class={`dialog${wide ? ' wide' : ''}${bare ? ' bare' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      {onSubmit === undefined ? (
        body
      ) : (
        <form
          aria-busy={busy || undefined}
          onSubmit={(event) => {
            event.preventDefault()
            void submit()
          }}
        >
          {body}
        </form>
      )}
    </dialog>
  )
}
