/** The frame of a page and its panels. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId } from 'preact/hooks'

interface PageProps {
  readonly title: ComponentChildren
  /** For the tab of the browser, where `title` is not plain text. */
  readonly name?: string
  readonly subtitle?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export function Page({ title, name, subtitle, actions, children }: PageProps) {
  const text = name ?? (typeof title === 'string' ? title : 'Holdfast')
  useEffect(() => {
    document.title = text === 'Holdfast' ? text : `${text} · Holdfast`
  }, [text])
  return (
    <>
      <header class="page-head">
        <div class="grow">
          <h1>{title}</h1>
          {subtitle !== undefined && <p class="soft">{subtitle}</p>}
        </div>
        {actions !== undefined && <div class="row page-actions">{actions}</div>}
      </header>
      <div class="stack">{children}</div>
    </>
  )
}

interface PanelProps {
  readonly title?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  /** Tables touch the edges. */
  readonly flush?: boolean
  readonly tone?: string
}

export function Panel({ title, aside, children, flush = false, tone }: PanelProps) {
  const id = useId()
  return (
    <section
      class={`panel${tone === undefined ? '' : ` edge ${tone}`}`}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {title !== undefined && (
        <header class="panel-head">
          <h2 id={id}>{title}</h2>
          {aside !== undefined && <div class="soft row">{aside}</div>}
        </header>
      )}
      <div class={flush ? 'panel-flush' : 'panel-body'}>{children}</div>
    </section>
  )
}

/** Names and values: the facts of a job, a queue, a key. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [ComponentChildren, ComponentChildren] | null)[]
}) {
  return (
    <dl class="facts">
      {rows.map((row) =>
        row === null ? null : (
          <div key={String(row[0])}>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
