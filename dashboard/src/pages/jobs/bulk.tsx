/** One command for everything that the search finds: a preview with counts first, then an operation with progress that can be aborted. */
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link } from '../../state/url.js'
import { Badge, StateBadge, type Tone } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { Dialog } from '../../ui/dialog.jsx'
import { TextField } from '../../ui/field.jsx'
import { count, formatNumber } from '../../ui/format.js'
import { Loaded } from '../../ui/loaded.jsx'
import { ProgressBar } from '../../ui/strip.jsx'
import { act } from '../../ui/toast.jsx'
import { Num } from '../../ui/value.jsx'
import { BULK_WORDS, type BulkVerb } from './commands.jsx'

type Preview = AnswerOf<'POST /api/v1/bulk/preview'>
type Operation = AnswerOf<'GET /api/v1/bulk/{id}'>

const SAMPLES = 5
/** Operations of this visit stay on the page after they have ended, until they are closed. */
const started = signal<readonly number[]>([])

const capped = (n: number, isCapped: boolean) => `${formatNumber(n)}${isCapped ? '+' : ''}`

interface BulkDialogProps {
  readonly q: string
  readonly verb: BulkVerb
  readonly close: () => void
  readonly done: () => unknown
}

export function BulkDialog({ q, verb, close, done }: BulkDialogProps) {
  const [reason, setReason] = useState('')
  const { label, danger = false } = BULK_WORDS[verb]
  const preview = useResource(
    (signal) => call('POST /api/v1/bulk/preview', { body: { command: verb, q }, signal }),
    [q, verb],
    { live: false },
  )
  const data = preview.data.value
  const start = async () => {
    if (data === undefined) return
    const operation = await act(`${label} of ${capped(data.matched, data.matched_capped)} jobs started`, () =>
      call('POST /api/v1/bulk', {
        body: {
          command: verb,
          q,
          until: data.until,
          expected: { matched: data.matched, capped: data.matched_capped },
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        },
      }),
    )
    if (operation === undefined) return
    started.value = [...started.peek(), operation.id]
    close()
    await done()
  }
  const amount = data === undefined ? '' : ` ${capped(data.applicable, data.matched_capped)}`
  return (
    <Dialog
      title={`${label} all that match?`}
      onClose={close}
      onSubmit={start}
      actions={
        <>
          <Button onClick={close}>Keep as it is</Button>
          <Button
            type="submit"
            look={danger ? 'danger' : 'primary'}
            disabled={data === undefined || data.applicable === 0}
          >
            {label}
            {amount}
          </Button>
        </>
      }
    >
      <p class="mono soft">{q}</p>
      <Loaded of={preview} rows={5}>
        {(shown) => <PreviewOf preview={shown} verb={verb} />}
      </Loaded>
      <TextField
        label="Reason (optional)"
        value={reason}
        onInput={setReason}
        hint="The history and the audit log keep it."
        maxLength={500}
      />
    </Dialog>
  )
}

function PreviewOf({ preview, verb }: { readonly preview: Preview; readonly verb: BulkVerb }) {
  const { matched, matched_capped, applicable, states, samples } = preview
  // What will happen is shown before what will not.
  const shown = [...samples].sort((a, b) => Number(b.applies) - Number(a.applies)).slice(0, SAMPLES)
  return (
    <div class="preview">
      <p>
        <b>{capped(matched, matched_capped)} jobs match</b>,{' '}
        {applicable === matched
          ? 'and the command fits all of them.'
          : `and the command fits ${capped(applicable, matched_capped)} of them; the others stay as they are.`}{' '}
        <span class="soft">Jobs that arrive from now on are left out.</span>
      </p>
      <ul class="row">
        {states.map(({ state, matched: all, applicable: fits }) => (
          <li key={state}>
            <StateBadge state={state} />{' '}
            <span class="num">
              {fits === all ? formatNumber(all) : `${formatNumber(fits)} of ${formatNumber(all)}`}
            </span>
          </li>
        ))}
      </ul>
      {applicable > 0 && shown[0]?.applies === false && (
        <p class="faint small">The newest are among those that stay as they are:</p>
      )}
      <ul>
        {shown.map((job) => (
          <li key={job.id} class="cut">
            <a href={link({ page: 'job', id: job.id })}>
              {job.kind} <span class="mono">#{job.id}</span>
            </a>{' '}
            <span class="soft">
              {job.applies
                ? (job.last_error ?? job.state)
                : `${job.state}: cannot be ${BULK_WORDS[verb].done}`}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

const OPERATION_TONE: Readonly<Record<Operation['state'], Tone>> = {
  waiting: 'quiet',
  running: 'busy',
  done: 'good',
  aborted: 'quiet',
  failed: 'bad',
}

/** Operations that run, and those of this visit. */
export function Operations({ changed }: { readonly changed: () => unknown }) {
  const open = useResource((signal) => call('GET /api/v1/bulk', { query: { page_size: 20 }, signal }), [], {
    everyMs: 1_000,
    pollMs: () => (started.peek().length > 0 ? 2_000 : 30_000),
  })
  const shown = (open.data.value?.operations ?? []).filter(
    ({ id, ended_at }) => ended_at === null || started.value.includes(id),
  )
  if (shown.length === 0) return null
  return (
    <section class="panel operations" aria-label="Bulk operations">
      {shown.map((operation) => (
        <Row
          key={operation.id}
          operation={operation}
          changed={() => Promise.all([open.reload(), changed()])}
        />
      ))}
    </section>
  )
}

function Row({ operation, changed }: { readonly operation: Operation; readonly changed: () => unknown }) {
  const { id, command, q, expected, expected_capped, done, failed, matched, ended_at, state } = operation
  const words = BULK_WORDS[command as BulkVerb] ?? { label: command, done: 'changed' }
  const abort = async () => {
    const yes = await confirm({
      title: 'Abort this operation?',
      body: 'Jobs that it has changed stay changed.',
      action: 'Abort operation',
      danger: true,
    })
    if (yes === null) return
    await act('Operation aborted', () =>
      call('POST /api/v1/bulk/{id}/abort', { params: { id }, body: yes.body }),
    )
    await changed()
  }
  // A preview that stopped counting is no measure once more than that were found.
  const isPast = expected_capped && matched > (expected ?? 0)
  const of = expected === null || isPast ? '' : ` of ${capped(expected, expected_capped)}`
  return (
    <div class="operation">
      <div class="grow">
        <p>
          <b>{words.label}</b> <span class="mono soft">{q}</span>{' '}
          <Badge tone={OPERATION_TONE[state]}>{state}</Badge>
        </p>
        <p class="soft small">
          <Num value={done} />
          {of} {words.done}
          {failed > 0 && <>, {count(failed, 'job')} refused</>}
          {operation.error !== null && <span class="bad"> · {operation.error}</span>}
        </p>
        <ProgressBar
          value={matched}
          max={Math.max(1, expected ?? matched)}
          ended={ended_at !== null}
          label={`${formatNumber(matched)}${of} jobs examined`}
        />
        {ended_at !== null && failed > 0 && <Refused id={id} />}
      </div>
      {ended_at === null ? (
        may('operate') && <Button onClick={abort}>Abort…</Button>
      ) : (
        <>
          <Button look="quiet" onClick={changed}>
            Refresh list
          </Button>
          <Button
            look="quiet"
            label="Close operation"
            onClick={() => {
              started.value = started.peek().filter((each) => each !== id)
            }}
          >
            ×
          </Button>
        </>
      )}
    </div>
  )
}

function Refused({ id }: { readonly id: number }) {
  const results = useResource(
    (signal) =>
      call('GET /api/v1/bulk/{id}/results', {
        params: { id },
        query: { ok: 'false', page_size: 20 },
        signal,
      }),
    [id],
    { live: false },
  )
  return (
    <details>
      <summary class="soft small">Refused</summary>
      <Loaded of={results}>
        {(data) => (
          <ul>
            {data.results.map(({ job_id, detail, code }) => (
              <li key={job_id} class="cut">
                <a class="mono" href={link({ page: 'job', id: job_id })}>
                  #{job_id}
                </a>{' '}
                <span class="soft">{detail ?? code}</span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </details>
  )
}
