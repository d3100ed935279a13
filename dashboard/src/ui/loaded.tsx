/** States of data: loading, failed, empty, stale. Old data stays on the page whatever happens. */
import type { ComponentChildren } from 'preact'
import type { CallFailed } from '../api/problem.js'
import type { Resource } from '../api/resource.js'
import { notLiveSince } from '../state/live.js'
import { Button } from './button.jsx'
import { CopyButton } from './copy.jsx'
import { Time } from './value.jsx'

interface LoadedProps<T> {
  readonly of: Resource<T>
  readonly children: (data: T) => ComponentChildren
  /** Height in rows of the placeholder, so that nothing jumps when the data comes. */
  readonly rows?: number
}

export function Loaded<T>({ of, children, rows = 4 }: LoadedProps<T>) {
  const data = of.data.value
  const failure = of.failure.value
  if (data === undefined) {
    if (failure !== null) return <ErrorState failure={failure} retry={() => of.reload()} />
    return <Skeleton rows={rows} />
  }
  return (
    <>
      {failure !== null && !shownAbove(failure) && (
        <Stale failure={failure} since={of.loadedAt.value} retry={() => of.reload()} />
      )}
      {children(data)}
    </>
  )
}

/** Without a server the bar on top of the page says it once for all. */
function shownAbove({ code }: CallFailed): boolean {
  return code === 'unreachable' && notLiveSince.value !== null
}

export function Skeleton({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" aria-busy="true" role="status">
      <span class="hidden-visually">Loading</span>
      {Array.from({ length: rows }, (_, n) => (
        <span key={n} class="skeleton-row" />
      ))}
    </div>
  )
}

export function ErrorState({
  failure,
  retry,
}: {
  readonly failure: CallFailed
  readonly retry?: () => unknown
}) {
  return (
    <div class="error-state" role="alert">
      <p>
        <strong>{failure.message}</strong>
      </p>
      {failure.remedy !== '' && <p class="soft">{failure.remedy}</p>}
      <div class="row">
        {retry !== undefined && <Button onClick={retry}>Try again</Button>}
        <code class="faint">{failure.code}</code>
      </div>
    </div>
  )
}

function Stale({
  failure,
  since,
  retry,
}: {
  failure: CallFailed
  since: number | null
  retry: () => unknown
}) {
  return (
    <div class="stale" role="status">
      <span class="grow">
        Shown as of <Time at={since} as="seconds" />: {failure.message}
      </span>
      <Button look="quiet" onClick={retry}>
        Try again
      </Button>
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
  /** Lines to paste, which make it less empty. */
  readonly command?: string
  readonly action?: ComponentChildren
}

/** Empty is a beginning: what would be here, and the command that makes it so. */
export function Empty({ title, children, command, action }: EmptyProps) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children !== undefined && <p class="soft">{children}</p>}
      {command !== undefined && (
        <div class="command">
          <pre tabIndex={0}>
            {command.split('\n').map((line) => (
              <span key={line} class="command-line">
                {line}
              </span>
            ))}
          </pre>
          <CopyButton text={command} />
        </div>
      )}
      {action}
    </div>
  )
}
