/** A secret that the server shows once: a key, the secret of a webhook. It is on the screen until the person closes it, and nowhere else. */
import { signal } from '@preact/signals'
import { Button } from './button.jsx'
import { CopyButton } from './copy.jsx'
import { Dialog } from './dialog.jsx'

interface Secret {
  readonly title: string
  readonly secret: string
  readonly hint: string
}

const shown = signal<Secret | null>(null)

export function showSecret(secret: Secret): void {
  shown.value = secret
}

export function SecretHost() {
  if (shown.value === null) return null
  const { title, secret, hint } = shown.value
  const close = () => {
    shown.value = null
  }
  return (
    <Dialog
      title={title}
      onClose={close}
      actions={
        <Button look="primary" onClick={close}>
          I have kept it
        </Button>
      }
    >
      <div class="command">
        <pre tabIndex={0} data-secret>
          {secret}
        </pre>
        <CopyButton text={secret} />
      </div>
      <p class="soft">{hint} It is shown only now; the server keeps a hash of it.</p>
    </Dialog>
  )
}
