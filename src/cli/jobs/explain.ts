/** `holdfast jobs explain`: shows why a job is in its state, and which commands it allows. */
import type { Command } from 'commander'
import { OPERATOR_VERBS, operatorMove, type Situation } from '../../domain/states/operator.js'
import type { Job } from '../../store/job-reads.js'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags, jobIds } from '../flags.js'
import type { CommandContext } from '../program.js'
import { paintState, readable } from '../terminal/format.js'
import { widthOf, wrap } from '../terminal/table.js'

export function explainCommand(context: CommandContext): Command {
  return consoleCommand(
    'explain',
    'show why a job is in its state, and what can be done',
    'holdfast jobs explain 42',
  )
    .argument('<id>', 'id of the job')
    .action((id: string, flags: DatabaseFlags) => explain(id, flags, context))
}

async function explain(text: string, flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const [id = 0] = jobIds([text])
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const reasons = await console.read.explain(id)
    const job = await console.read.job(id)
    const { strict } = await console.queues.get(job.queue, { tenant: job.tenant })
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
        `${terminal.paint.green('✓')} Nothing blocks it: a worker of ${job.queue} will claim it in turn.`,
      )
    terminal.out(`${dim('you can')}  ${allowed.length > 0 ? allowed.join(', ') : 'nothing but read it'}`)
  })
}

/** The commands that would not be refused. */
export function allowedCommands({ state, attempt, finishedAt }: Job, strict: boolean): string[] {
  const situation: Situation = { strict, attempted: attempt > 0 }
  const verbs = OPERATOR_VERBS.filter((verb) => verb !== 'publish').filter((verb) => {
    const { answer } = operatorMove(verb, state, situation)
    return answer !== 'refused' && answer !== 'already_ended'
  })
  return finishedAt === null ? [...verbs, 'boost', 'priority'] : verbs
}
