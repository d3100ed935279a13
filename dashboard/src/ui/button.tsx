/** Buttons. A button whose action returns a promise is busy until the promise settles. */
import type { ComponentChildren, TargetedMouseEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface ButtonProps {
  readonly children: ComponentChildren
  /** `primary` is the one that solves it; one per place. */
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
  /** While a promise is pending the button is busy and cannot be pressed twice. */
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => unknown
  readonly href?: string
  readonly disabled?: boolean
  readonly type?: 'button' | 'submit'
  readonly title?: string
  readonly label?: string
  /** For the keyboard: `r` presses the button with the action retry of the focused row or page. */
  readonly action?: string
  readonly popovertarget?: string
  readonly pressed?: boolean
  readonly download?: boolean
}

export function Button({
  look = 'plain',
  onClick,
  href,
  type = 'button',
  label,
  action,
  pressed,
  ...rest
}: ButtonProps) {
  const [busy, setBusy] = useState(false)
  const pending = useRef(false)
  const className = `button ${look}`
  if (href !== undefined) {
    return (
      <a
        class={className}
        href={href}
        title={rest.title}
        aria-label={label}
        data-action={action}
        download={rest.download}
      >
        {rest.children}
      </a>
    )
  }
  const press = async (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (pending.current) return event.preventDefault()
    const answer = onClick?.(event)
    if (!(answer instanceof Promise)) return
    pending.current = true
    setBusy(true)
    await answer.finally(() => {
      pending.current = false
      setBusy(false)
    })
  }
  return (
    <button
      class={className}
      type={type}
      title={rest.title}
      disabled={rest.disabled}
      // Not `disabled`: a disabled button loses the focus, and a dialog could not give it back.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      aria-label={label}
      aria-pressed={pressed}
      data-action={action}
      popovertarget={rest.popovertarget}
      onClick={press}
    >
      {rest.children}
    </button>
  )
}
