/** Edits a schedule, with a preview of the next firings while the expression is typed. */
import { signal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import { parseJson, writeJson } from '../../api/json.js'
import { asFailure, type CallFailed } from '../../api/problem.js'
import { Button } from '../../ui/button.jsx'
import { Dialog } from '../../ui/dialog.jsx'
import { CheckField, SelectField, TextField } from '../../ui/field.jsx'
import { toast } from '../../ui/toast.jsx'
import { Slots } from './slots.jsx'
import { inWords } from './words.js'
import { CATCH_UP_WORDS, OVERLAP_WORDS, type Schedule } from './words-of-fields.js'

interface EditProps {
  readonly schedule: Schedule
  readonly close: () => void
  readonly saved: () => Promise<void>
}

interface Draft {
  readonly expression: string
  readonly time_zone: string
  readonly enabled: boolean
  readonly overlap: Schedule['overlap']
  readonly catch_up: Schedule['catch_up']
  readonly jitter: string
  readonly input: string
}

const draftOf = (schedule: Schedule): Draft => ({
  expression: schedule.expression,
  time_zone: schedule.time_zone,
  enabled: schedule.enabled,
  overlap: schedule.overlap,
  catch_up: schedule.catch_up,
  jitter: String(schedule.jitter_ms / 1000),
  input: writeJson(schedule.input, 2),
})

/** Only what differs: other fields stay as they are, also when another person changed them meanwhile. */
function changesOf(draft: Draft, from: Draft) {
  const { expression, time_zone, enabled, overlap, catch_up, jitter, input } = draft
  return {
    ...(expression === from.expression ? {} : { expression }),
    ...(time_zone === from.time_zone ? {} : { time_zone }),
    ...(enabled === from.enabled ? {} : { enabled }),
    ...(overlap === from.overlap ? {} : { overlap }),
    ...(catch_up === from.catch_up ? {} : { catch_up }),
    ...(jitter === from.jitter ? {} : { jitter_ms: Math.round(Number(jitter) * 1000) }),
    ...(input === from.input ? {} : { input: parseJson(input) }),
  }
}

export function EditSchedule({ schedule, close, saved }: EditProps) {
  const [from] = useState(() => draftOf(schedule))
  const [draft, setDraft] = useState(from)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const badInput = jsonProblem(draft.input)
  const changed = Object.keys(draft).some((key) => draft[key as keyof Draft] !== from[key as keyof Draft])
  const save = async () => {
    try {
      await call('PATCH /api/v1/schedules/{name}', {
        params: { name: schedule.name },
        body: { ...changesOf(draft, from), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) },
      })
    } catch (error) {
      const failure = asFailure(error)
      setProblem([failure.message, failure.remedy].filter((each) => each !== '').join(' '))
      return
    }
    toast(`Schedule ${schedule.name} changed`)
    close()
    await saved()
  }
  return (
    <Dialog
      wide
      title={`Edit ${schedule.name}`}
      onClose={close}
      onSubmit={() => (changed && badInput === undefined ? save() : undefined)}
      actions={
        <>
          <Button onClick={close}>Keep as it is</Button>
          <Button look="primary" type="submit" disabled={!changed || badInput !== undefined}>
            Save changes
          </Button>
        </>
      }
    >
      <div class="form">
        {problem !== undefined && (
          <p class="bad" role="alert">
            {problem}
          </p>
        )}
        <When draft={draft} change={change} />
        <div class="form-halves">
          <SelectField
            label="While an earlier job is live"
            value={draft.overlap}
            onInput={(overlap) => change({ overlap: overlap as Draft['overlap'] })}
            choices={Object.entries(OVERLAP_WORDS)}
          />
          <SelectField
            label="Missed slots"
            value={draft.catch_up}
            onInput={(catchUp) => change({ catch_up: catchUp as Draft['catch_up'] })}
            choices={Object.entries(CATCH_UP_WORDS)}
          />
          <TextField
            label="Jitter, seconds"
            type="number"
            value={draft.jitter}
            onInput={(jitter) => change({ jitter })}
          />
        </div>
        <TextField
          label="Input of the job (JSON)"
          mono
          rows={4}
          value={draft.input}
          onInput={(input) => change({ input })}
          problem={badInput}
        />
        <CheckField label="Enabled" value={draft.enabled} onInput={(enabled) => change({ enabled })} />
        <TextField
          label="Reason (optional)"
          value={reason}
          onInput={setReason}
          maxLength={500}
          hint="The audit log keeps it."
        />
      </div>
    </Dialog>
  )
}

function jsonProblem(text: string): string | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.'
  }
}

interface WhenProps {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
}

/** A pause in typing: each key press asks the server otherwise. */
const TYPING_MS = 200

function When({ draft: { expression, time_zone: timeZone }, change }: WhenProps) {
  const { slots, failure } = usePreview(expression, timeZone)
  const words = inWords(expression)
  return (
    <>
      <div class="form-halves">
        <TextField
          label="Expression"
          mono
          required
          autofocus
          value={expression}
          onInput={(next) => change({ expression: next })}
          hint={words ?? 'Cron, @daily, or @every 90m.'}
          problem={failure?.message}
        />
        <TextField
          label="Time zone"
          mono
          required
          value={timeZone}
          onInput={(next) => change({ time_zone: next })}
          hint="A name of the IANA database, like Europe/Berlin."
        />
      </div>
      <section class="preview" aria-label="Preview" aria-live="polite">
        {slots === undefined ? (
          <p class="soft">{failure === null ? 'Looking …' : 'No preview: the expression has a mistake.'}</p>
        ) : (
          <Slots slots={slots.values} timeZone={slots.timeZone} />
        )}
      </section>
    </>
  )
}

function usePreview(expression: string, timeZone: string) {
  const slots = useMemo(
    () => signal<{ values: readonly string[]; timeZone: string } | undefined>(undefined),
    [],
  )
  const failure = useMemo(() => signal<CallFailed | null>(null), [])
  useEffect(() => {
    const asked = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const answer = await call('GET /api/v1/schedule-preview', {
          query: { expression, time_zone: timeZone, count: 5 },
          signal: asked.signal,
        })
        slots.value = { values: answer.slots, timeZone }
        failure.value = null
      } catch (error) {
        if (asked.signal.aborted) return
        slots.value = undefined
        failure.value = asFailure(error)
      }
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      asked.abort()
    }
  }, [expression, timeZone])
  return { slots: slots.value, failure: failure.value }
}
