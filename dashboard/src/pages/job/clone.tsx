/** Clone and edit: a new job from this one, with another input, target or priority. */
import { useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import { parseJson, writeJson } from '../../api/json.js'
import { go } from '../../state/url.js'
import { Button } from '../../ui/button.jsx'
import { Dialog } from '../../ui/dialog.jsx'
import { TextField } from '../../ui/field.jsx'
import { act } from '../../ui/toast.jsx'
import type { Job } from './timeline.js'

export function CloneDialog({ job, close }: { readonly job: Job; readonly close: () => void }) {
  const before = writeJson(job.input ?? null, 2)
  const [input, setInput] = useState(before)
  const [queue, setQueue] = useState(job.queue)
  const [target, setTarget] = useState(job.target ?? '')
  const [priority, setPriority] = useState(String(job.initial_priority))
  const problem = problemOf(input)
  const create = async () => {
    if (problem !== undefined) return
    const made = await act('Job cloned', () =>
      call('POST /api/v1/jobs/{id}/clone', {
        params: { id: job.id },
        body: {
          // Unchanged fields stay out, so that the server copies what this page cannot see, such as redacted values.
          ...(input === before ? {} : { input: parseJson(input) }),
          ...(queue === job.queue ? {} : { queue }),
          ...(target === (job.target ?? '') || target === '' ? {} : { target }),
          ...(Number(priority) === job.initial_priority ? {} : { priority: Number(priority) }),
        },
      }),
    )
    if (made === undefined) return
    close()
    go({ page: 'job', id: made.id })
  }
  return (
    <Dialog
      wide
      title={`Clone ${job.kind} #${job.id}`}
      onClose={close}
      onSubmit={create}
      actions={
        <>
          <Button onClick={close}>Close</Button>
          <Button look="primary" type="submit" disabled={problem !== undefined}>
            Create job
          </Button>
        </>
      }
    >
      <div class="form">
        <TextField
          label="Input (JSON)"
          rows={12}
          mono
          value={input}
          onInput={setInput}
          problem={problem}
          hint={
            before.includes('"[redacted]"')
              ? 'Redacted values are copied as long as the input stays unchanged.'
              : undefined
          }
        />
        <div class="clone-row">
          <TextField label="Queue" value={queue} onInput={setQueue} required />
          <TextField label="Target" value={target} onInput={setTarget} placeholder="none" />
          <TextField label="Priority" type="number" value={priority} onInput={setPriority} />
        </div>
        <p class="soft small">Key and times are not copied.</p>
      </div>
    </Dialog>
  )
}

function problemOf(text: string): string | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}
