/** The SQL functions of the package, for tests that read or change them. */
import { pins, sqlFunctions } from '../../src/database/sql-files.js'

/** Functions that views, policies and triggers call as the owner of the schema. They are no verbs. */
export const FOR_READERS = [
  'all_levels',
  'is_ahead',
  'is_worker_alive',
  'key_state',
  'now',
  'setting_number',
  'state_word',
  'view_now',
  'visible_queues',
  'visible_tenants',
]

/** Every verb: a function that runs with the rights of the schema's owner, so that roles may call it. */
export function verbs(): string[] {
  const definers = [...sqlFunctions()].filter(([, { text }]) => text.includes('security definer'))
  return definers
    .map(([name]) => name)
    .filter((name) => !FOR_READERS.includes(name) && name !== 'wake_at_commit')
    .sort()
}

/** The statement that creates a function, with one piece of it replaced. Fails unless the piece occurs exactly once. */
export function changed(name: string, from: string | RegExp, to: string, text = textOf(name)): string {
  const times = text.split(from).length - 1
  if (times !== 1) throw new Error(`"${from}" occurs ${times} times in holdfast.${name}, not once`)
  return text.replace(from, () => to)
}

/** These statements, and after them the planner settings of all functions, which replacing one drops. */
export function withPins(...texts: string[]): string {
  return [...texts, pins()].join('\n')
}

function textOf(name: string): string {
  const found = sqlFunctions().get(name)
  if (found === undefined) throw new Error(`there is no function holdfast.${name}`)
  return found.text
}
