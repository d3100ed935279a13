/** The frame around every page: navigation, top bar, dialogs, messages; or the login page. */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { unreachable } from '../api/problem.js'
import { useResource } from '../api/resource.js'
import { PAGE_TABLE } from '../pages/pages.js'
import { noteDatabaseTime } from '../state/clock.js'
import { overviewResource } from '../state/counts.js'
import { connected } from '../state/live.js'
import { checkSession, sessionFailure, sessionState } from '../state/session.js'
import { noteShown, type PageName, page } from '../state/url.js'
import { AskHost } from '../ui/ask.jsx'
import { ConfirmHost } from '../ui/confirm.jsx'
import { ErrorState, Skeleton } from '../ui/loaded.jsx'
import { SecretHost } from '../ui/secret.jsx'
import { Toasts } from '../ui/toast.jsx'
import { Boundary } from './boundary.jsx'
import { Help } from './help.jsx'
import { Login } from './login.jsx'
import { drawerOpen, Nav } from './nav.jsx'
import { Palette } from './palette.jsx'
import { NotLiveBar, TopBar } from './top-bar.jsx'

export function App() {
  const state = sessionState.value
  if (state === 'checking') return null
  if (state === 'closed') return <Login />
  if (state === 'failed' && sessionFailure.value !== null) {
    return (
      <main class="login">
        <div class="panel">
          <ErrorState failure={sessionFailure.value} retry={checkSession} />
        </div>
      </main>
    )
  }
  return <Shell />
}

function Shell() {
  useCounts()
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Nav />
      {drawerOpen.value && (
        <div
          class="drawer-back"
          onClick={() => {
            drawerOpen.value = false
          }}
        />
      )}
      <div class="column">
        <TopBar />
        <NotLiveBar />
        <main id="main" tabIndex={-1} data-quiet-focus>
          <CurrentPage />
        </main>
      </div>
      <Palette />
      <Help />
      <ConfirmHost />
      <AskHost />
      <SecretHost />
      <Toasts />
    </div>
  )
}

async function loadOverview(signal: AbortSignal) {
  const answer = await call('GET /api/v1/overview', { signal })
  noteDatabaseTime(answer.now)
  return answer
}

function useCounts(): void {
  const loaded = useResource(loadOverview, [], { pollMs: 10_000, everyPage: true })
  useEffect(() => {
    overviewResource.value = loaded
  }, [loaded])
}

/** Pages whose code is here. */
const ready = new Map<PageName, ComponentType>()

async function prepare(name: PageName): Promise<void> {
  ready.set(name, await PAGE_TABLE[name].load())
}

/** The code of a page is loaded while the pointer is on its way to the link. */
function prepareLinks(): () => void {
  const look = (event: Event) => {
    const anchor = (event.target as Element | null)?.closest?.('a[href]')
    if (!(anchor instanceof HTMLAnchorElement) || anchor.origin !== location.origin) return
    const name = new URLSearchParams(anchor.search).get('page') ?? 'overview'
    if (name in PAGE_TABLE) prepare(name as PageName).catch(() => undefined)
  }
  const kinds = ['pointerover', 'focusin']
  for (const kind of kinds) addEventListener(kind, look)
  return () => {
    for (const kind of kinds) removeEventListener(kind, look)
  }
}

/** A page that is not here yet leaves the one before on the screen, so that nothing flashes. */
function CurrentPage() {
  const name = page.value
  const [shown, setShown] = useState<PageName | null>(null)
  const [failed, setFailed] = useState(false)
  const first = useRef(true)
  useEffect(prepareLinks, [])
  useEffect(() => {
    let left = false
    const show = () => {
      if (left) return
      setFailed(false)
      setShown(name)
      // A page that loads late must not take the focus from a person who types already.
      const isTyping = document.activeElement?.matches('input, textarea, select, dialog *') ?? false
      if (!first.current && !isTyping) document.getElementById('main')?.focus({ preventScroll: true })
      first.current = false
    }
    if (ready.has(name)) show()
    else
      prepare(name).then(show, () => {
        if (!left) setFailed(true)
      })
    return () => {
      left = true
    }
    // Once more when the server is back.
  }, [name, connected.value])
  if (failed && !ready.has(name)) {
    if (!connected.value)
      return (
        <div class="panel">
          <ErrorState failure={unreachable()} />
        </div>
      )
    // The server has a newer dashboard: the old chunk is gone.
    return (
      <div class="panel empty">
        <p>
          <strong>This page could not be loaded.</strong>
        </p>
        <p class="soft">The server may have been updated.</p>
        <button type="button" class="button primary" onClick={() => location.reload()}>
          Load the dashboard again
        </button>
      </div>
    )
  }
  const current = ready.has(name) ? name : shown
  const Component = current === null ? undefined : ready.get(current)
  if (current !== null) noteShown(current)
  if (Component === undefined) return <Skeleton rows={6} />
  return (
    <Boundary key={current}>
      <Component />
    </Boundary>
  )
}
