/** Jobs: one search, what it found, and what to do with it. */
import { computed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { actingTenant } from '../../api/call.js'
import { go } from '../../state/url.js'
import { Button } from '../../ui/button.jsx'
import { count, formatNumber } from '../../ui/format.js'
import { Empty, ErrorState, Skeleton } from '../../ui/loaded.jsx'
import { Page } from '../../ui/panel.jsx'
import { Time } from '../../ui/value.jsx'
import { VirtualTable } from '../../ui/virtual-table.jsx'
import { Operations } from './bulk.jsx'
import { BulkBar } from './bulk-bar.jsx'
import { columns, isSmall } from './columns.jsx'
import { ExportMenu } from './export.jsx'
import { Facets } from './facets.jsx'
import { PAGE_SIZE } from './find.js'
import { type Found, useFound } from './found.js'
import './jobs.css'
import { query } from './query.js'
import { clearSelection, selectionOf } from './selection.js'
import { SaveView, Views } from './views.jsx'

export function JobsPage() {
  const q = useMemo(() => computed(() => query.value), [])
  const found = useFound(q)
  useEffect(clearSelection, [query.value, actingTenant.value])
  const rows = found.rows.value
  const page = found.page.value
  const more = page !== undefined && page.next !== null
  const title =
    rows === undefined ? 'Jobs' : more ? `${formatNumber(rows.length)}+ jobs` : count(rows.length, 'job')
  const hasWords = (page?.keywords.length ?? 0) > 0
  return (
    <Page
      title={title}
      name={query.value === '' ? 'Jobs' : query.value}
      subtitle={hasWords ? <Words found={found} /> : undefined}
      actions={
        <>
          <Looked found={found} />
          <ExportMenu />
          <SaveView />
        </>
      }
    >
      <Operations changed={() => found.reload()} />
      <div class="jobs-grid">
        <nav class="facets" aria-label="Facets">
          <Views />
          <Facets />
        </nav>
        <section class="panel" aria-label="Jobs found">
          <NewPill found={found} />
          <BulkBar found={found} />
          <Failure found={found} />
          <Rows found={found} />
        </section>
      </div>
    </Page>
  )
}

/** "looked back to 09:14 · 412,000 jobs · look further" */
function Looked({ found }: { readonly found: Found }) {
  const page = found.page.value
  if (page === undefined || page.examined.complete || page.next === null) return null
  return (
    <span class="soft looked" role="status">
      looked back to <Time at={page.examined.oldest_at} as="clock" /> · {count(page.examined.jobs, 'job')} ·{' '}
      <button type="button" class="link" disabled={found.loading.value} onClick={() => found.more()}>
        {found.loading.value ? 'looking…' : 'look further'}
      </button>
    </span>
  )
}

/** What a keyword without a field was found as. */
function Words({ found }: { readonly found: Found }) {
  const words = found.page.value?.keywords ?? []
  return (
    <>
      {words.map(({ keyword, fields }) => (
        <span key={keyword}>
          <span class="mono">{keyword}</span>{' '}
          {fields.length === 0
            ? 'is no id, key, target, trace, worker, kind or queue'
            : `is a ${fields.join(', a ')}`}{' '}
        </span>
      ))}
    </>
  )
}

function LookedAtEnd({ found }: { readonly found: Found }) {
  const page = found.page.value
  if (page === undefined || page.examined.complete || page.next === null) return null
  return (
    <div class="table-end">
      <Looked found={found} />
    </div>
  )
}

function NewPill({ found }: { readonly found: Found }) {
  const fresh = found.fresh.value
  if (fresh === 0) return null
  return (
    <div class="new-pill" role="status">
      <Button look="primary" onClick={() => found.reload()}>
        {formatNumber(fresh)}
        {fresh >= PAGE_SIZE ? '+' : ''} new
      </Button>
    </div>
  )
}

function Failure({ found }: { readonly found: Found }) {
  const failure = found.failure.value
  if (failure === null || found.rows.value === undefined) return null
  return (
    <div class="stale" role="status">
      <span class="grow">
        {failure.message} {failure.remedy}
      </span>
      <Button look="quiet" onClick={() => found.reload()}>
        Try again
      </Button>
    </div>
  )
}

function Rows({ found }: { readonly found: Found }) {
  const rows = found.rows.value
  const failure = found.failure.value
  if (rows === undefined)
    return failure === null ? (
      <Skeleton rows={14} />
    ) : (
      <ErrorState failure={failure} retry={() => found.reload()} />
    )
  if (rows.length === 0) return <Nothing found={found} />
  return (
    <div class={found.outdated.value ? 'is-loading' : ''} aria-busy={found.loading.value}>
      <VirtualTable
        label="Jobs"
        columns={columns(rows)}
        rows={rows}
        rowKey={(row) => row.id}
        rowHeight={isSmall.value ? 60 : 36}
        selection={selectionOf(rows.map(({ id }) => id))}
        hasMore={found.page.value?.full === true && found.page.value.next !== null}
        loadMore={() => found.more()}
        end={found.page.value?.full === true ? undefined : <LookedAtEnd found={found} />}
      />
    </div>
  )
}

function Nothing({ found }: { readonly found: Found }) {
  if (query.value === '') {
    return (
      <Empty title="No jobs yet" command={`holdfast enqueue mail welcome '{"to":"ada@example.org"}'`}>
        Enqueue the first one; it appears here as it happens.
      </Empty>
    )
  }
  return (
    <Empty
      title="No job matches"
      action={
        <div class="row">
          {found.page.value !== undefined && found.page.value.next !== null && (
            <Button look="primary" onClick={() => found.more()}>
              Look further
            </Button>
          )}
          <Button onClick={() => go({ page: 'jobs' })}>Show all jobs</Button>
        </div>
      }
    >
      Try fewer terms. An id, key, target or trace can be pasted without a field name.
    </Empty>
  )
}
