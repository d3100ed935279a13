/** `holdfast schedules`: what fires by itself. Looking, defining and steering each have a file. */
import { Command } from 'commander'
import type { Context } from './program.js'
import { defineCommands } from './schedules/define.js'
import { lookCommands } from './schedules/look.js'
import { steerCommands } from './schedules/steer.js'

export function schedulesCommand(context: Context): Command {
  const command = new Command('schedules').description(
    'what fires by itself: define, preview, pause, explain',
  )
  for (const each of [...lookCommands(context), ...defineCommands(context), ...steerCommands(context)])
    command.addCommand(each, { isDefault: each.name() === 'list' })
  return command
}
