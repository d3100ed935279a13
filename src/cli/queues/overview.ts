/** `holdfast overview`: what needs an operator, in sentences, most severe first, each with the command that solves it. */
import type { Command } from 'commander'
import { withConsole } from '../console/connect.js'
import type { ShownProblem } from '../console/console.js'
import { consoleCommand, type DatabaseFlags, type TenantFlag, withTenant } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'

type Flags = DatabaseFlags & TenantFlag

export function overviewCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'overview',
    'show what needs you: failing kinds, blocked targets, …',
    'holdfast overview',
    'holdfast overview --json',
  )
  return withTenant(command).action((flags: Flags) => overview(flags, context))
}

async function overview(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const { problems, problemsCapped } = await console.overview.read({ tenant: flags.tenant })
    if (flags.json) return terminal.out(JSON.stringify({ problems: problems.map(shown), problemsCapped }))
    if (problems.length === 0) return terminal.out('Everything is moving: nothing needs you.')
    const { paint } = terminal
    const count = problemsCapped ? `More than ${problems.length} things` : many(problems.length, 'thing')
    terminal.out(`${count} ${problems.length === 1 && !problemsCapped ? 'needs' : 'need'} you.`)
    for (const problem of problems) {
      const { severity, text, next } = problem
      terminal.out('')
      terminal.out(severity === 'critical' ? paint.red(text) : text)
      terminal.out(paint.dim(`  ${next}`))
      const command = commandOf(problem)
      if (command !== undefined) terminal.out(paint.dim(`  ${command}`))
    }
  })
}

function shown({ id, type, severity, text, next, since, actions }: ShownProblem) {
  return { id, type, severity, text, next, since, actions }
}

/** The command that does what the first call of the problem would. */
export function commandOf({ actions }: ShownProblem): string | undefined {
  for (const action of actions) {
    if (action.type !== 'call') continue
    const [, subject, name, command] =
      /^\/api\/v1\/(jobs|queues|schedules)\/([^/]+)\/(\w+)$/.exec(action.path) ?? []
    if (subject === undefined || name === undefined) continue
    const quoted = decodeURIComponent(name)
    return `holdfast ${subject} ${command} ${quoted.includes(' ') ? `"${quoted}"` : quoted}`
  }
  return undefined
}
