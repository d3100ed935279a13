/** `holdfast schedules`: the commands that show, define and control schedules. */
import { Command } from 'commander'
import type { CommandContext } from '../program.js'
import { controlCommands } from './commands.js'
import { defineCommands } from './define.js'
import { readCommands } from './read.js'

export function schedulesCommand(context: CommandContext): Command {
  const command = new Command('schedules').description('define, preview, pause and explain schedules')
  for (const subcommand of [
    ...readCommands(context),
    ...defineCommands(context),
    ...controlCommands(context),
  ])
    command.addCommand(subcommand, { isDefault: subcommand.name() === 'list' })
  return command
}
