/** `holdfast jobs explain`: why a job is where it is, and what can be done to it now. */
import type { Command } from 'commander'
import { OPERATOR_VERBS, operatorMove, type Situation } from '../../domain/operator.js'
import type { Job } from '../../store/read.js'
import { withStore } from '../connect.js'
import { type DatabaseFlags, eitherCommand, jobIds } from '../flags.js'
import type { Context } from '../program.js'
import { widthOf, wrap } from '../table.js'
import { paintState, readable } from '../words.js'

export function explainCommand(context: Context): Command {
  return eitherCommand(
    'explain',
    'why a job is where it is, and what can be done',
    'holdfast jobs explain 42',
  )
    .argument('<id>', 'the job')
    .action((id: string, flags: DatabaseFlags) => explain(id, flags, context))
}

async function explain(text: string, flags: DatabaseFlags, context: Context): Promise<void> {
  const [id = 0] = jobIds([text])
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const reasons = await store.read.explain(id)
    const job = await store.read.job(id)
    const { strict } = await store.queues.get(job.queue, { tenant: job.tenant })
    const allowed = allowedCommands(job, strict)
    if (flags.json) return terminal.out(JSON.stringify({ jobId: id, state: job.state, reasons, allowed }))
    const { bold, dim, yellow } = terminal.paint
    terminal.out(`${bold(`Job ${id}`)}  ${paintState(terminal.paint, job.state)(job.state)}`)
    for (const { blocking, sentence } of reasons) {
      const [first = '', ...rest] = wrap(readable(sentence), widthOf(terminal) - 2)
      terminal.out(`${blocking ? yellow('×') : dim('·')} ${first}`)
      for (const line of rest) terminal.out(`  ${line}`)
    }
    if (!reasons.some(({ blocking }) => blocking))
      terminal.out(
        `${terminal.paint.green('✓')} Nothing keeps it: the next worker of ${job.queue} takes it in its turn.`,
      )
    terminal.out(`${dim('you can')}  ${allowed.length > 0 ? allowed.join(', ') : 'only look at it'}`)
  })
}

/** The commands of the command line that would not be refused. */
function allowedCommands({ state, attempt, finishedAt }: Job, strict: boolean): string[] {
  const situation: Situation = { strict, attempted: attempt > 0 }
  const verbs = OPERATOR_VERBS.filter((verb) => verb !== 'release').filter((verb) => {
    const { answer } = operatorMove(verb, state, situation)
    return answer !== 'refused' && answer !== 'already_ended'
  })
  return finishedAt === null ? [...verbs, 'boost', 'priority'] : verbs
}
