/** What a person may do to this job now: the commands that its state allows and the key permits. */
import { OPERATOR_VERBS, type OperatorVerb, operatorMove } from '../../../../src/domain/states/operator.js'
import { call } from '../../api/call.js'
import { may } from '../../state/session.js'
import { go } from '../../state/url.js'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { Menu, type MenuItem } from '../../ui/menu.jsx'
import { act } from '../../ui/toast.jsx'
import type { Job } from './timeline.js'

export type Verb = OperatorVerb | 'boost'

interface Words {
  readonly label: string
  readonly done: string
  readonly means: string
  readonly danger?: boolean
}

export const WORDS: Readonly<Record<Verb, Words>> = {
  retry: { label: 'Retry', done: 'Job retried', means: 'It runs again as soon as a worker is free.' },
  resume: {
    label: 'Resume',
    done: 'Job resumed',
    means: 'It goes back in line, and its target goes on with it.',
  },
  publish: { label: 'Publish', done: 'Job published', means: 'It becomes claimable.' },
  skip: {
    label: 'Skip',
    done: 'Job skipped',
    means: 'It ends as canceled, and its target goes on.',
    danger: true,
  },
  boost: { label: 'Boost', done: 'Priority raised', means: 'Its priority rises by 10, up to 100.' },
  cancel: {
    label: 'Cancel',
    done: 'Job canceled',
    means: 'It ends at once if it waits; if it runs, its worker is asked to stop.',
    danger: true,
  },
  discard: {
    label: 'Discard',
    done: 'Job discarded',
    means: 'It fails without further attempts.',
    danger: true,
  },
}

/** In the order in which the page offers them: the first solves it. */
const OFFERED: readonly Verb[] = ['publish', 'resume', 'retry', 'skip', 'boost', 'discard', 'cancel']

export function allowedVerbs(job: Pick<Job, 'state' | 'attempt' | 'finished_at'>): Verb[] {
  const situation = { attempted: job.attempt > 0 }
  const fits = (verb: Verb) => {
    if (verb === 'boost') return job.finished_at === null
    const { answer } = operatorMove(verb, job.state, situation)
    return (
      (OPERATOR_VERBS as readonly string[]).includes(verb) &&
      answer !== 'refused' &&
      answer !== 'already_ended'
    )
  }
  return OFFERED.filter(fits)
}

/** Asks, then runs the command. */
export async function command(job: Pick<Job, 'id' | 'kind'>, verb: Verb): Promise<boolean> {
  const words = WORDS[verb]
  const yes = await confirm({
    title: `${words.label} ${job.kind} #${job.id}?`,
    body: words.means,
    action: `${words.label} job`,
    danger: words.danger ?? false,
  })
  if (yes === null) return false
  const request = { params: { id: job.id }, body: yes.body }
  const answer = await act<{ id: number }>(words.done, () =>
    verb === 'boost'
      ? call('POST /api/v1/jobs/{id}/boost', request)
      : call(`POST /api/v1/jobs/{id}/${verb}`, request),
  )
  // A strict queue keeps the old job as it ended and has a new one.
  if (answer !== undefined && answer.id !== job.id) go({ page: 'job', id: answer.id })
  return answer !== undefined
}

interface ActionsProps {
  readonly job: Job
  readonly changed: () => unknown
  readonly clone: () => void
  /** Its button stands elsewhere on the page. */
  readonly without: Verb | undefined
}

export function JobActions({ job, changed, clone, without }: ActionsProps) {
  const run = async (verb: Verb) => {
    if (await command(job, verb)) await changed()
  }
  const allowed = may('operate') ? allowedVerbs(job).filter((verb) => verb !== without) : []
  const main = allowed.filter((verb) => ['publish', 'resume', 'retry', 'cancel', 'skip'].includes(verb))
  const more: MenuItem[] = [
    ...allowed
      .filter((verb) => !main.includes(verb))
      .map((verb) => ({
        label: `${WORDS[verb].label}…`,
        danger: WORDS[verb].danger ?? false,
        run: () => run(verb),
      })),
    ...(may('operate') || may('enqueue') ? [{ label: 'Clone and edit…', run: clone }] : []),
  ]
  return (
    <>
      {main.map((verb) => (
        <Button
          key={verb}
          action={verb}
          look={WORDS[verb].danger ? 'danger' : 'plain'}
          disabled={verb === 'cancel' && job.cancel_requested}
          onClick={() => run(verb)}
        >
          {verb === 'cancel' && job.cancel_requested ? 'Cancel requested' : WORDS[verb].label}
        </Button>
      ))}
      {more.length > 0 && <Menu label="⋯" name="More actions" caret={false} items={more} />}
    </>
  )
}
