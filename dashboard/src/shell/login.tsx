/** Sign in with an API key. The key goes to the server once; the browser keeps a session cookie that scripts cannot read. */
import { useState } from 'preact/hooks'
import { asFailure } from '../api/problem.js'
import { sessionEnded, signIn } from '../state/session.js'
import { Button } from '../ui/button.jsx'
import { TextField } from '../ui/field.jsx'

export function Login() {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string | undefined>()
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    try {
      await signIn(key.trim())
    } catch (error) {
      const failure = asFailure(error)
      setProblem(
        failure.status === 401
          ? 'The server does not accept this key. Is it complete, and not expired or revoked?'
          : `${failure.message} ${failure.remedy}`,
      )
    }
    setBusy(false)
  }
  return (
    <main class="login">
      <form
        class="panel form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <h1>
          <span class="logo" aria-hidden="true" /> Holdfast
        </h1>
        {sessionEnded.value && (
          <p class="soft">Your session has ended. Sign in again to come back to where you were.</p>
        )}
        {/* Password managers keep a key under a name. */}
        <input
          class="hidden-visually"
          name="username"
          autocomplete="username"
          value="holdfast"
          tabIndex={-1}
          aria-hidden="true"
          readOnly
        />
        <TextField
          label="API key"
          type="password"
          value={key}
          onInput={setKey}
          problem={problem}
          hint="It needs the scope read; operate and admin allow more."
          autocomplete="current-password"
          required
          autofocus
          mono
        />
        <Button look="primary" type="submit" disabled={busy || key.trim() === ''}>
          Sign in
        </Button>
        <p class="small faint">
          No key? <code>holdfast keys create me --scope read</code> makes one.
        </p>
      </form>
    </main>
  )
}
