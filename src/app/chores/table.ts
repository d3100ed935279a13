/** Every chore there is. A new one is a file beside this one and a line here. */
import type { Store } from '../../store/store.js'
import type { WebhookOptions } from '../../webhooks/addresses.js'
import { age } from './age.js'
import { alerts } from './alerts.js'
import { bringIn } from './bring-in.js'
import type { Chore, Value } from './chore.js'
import { fire } from './fire.js'
import { forget, partitions, prune } from './history.js'
import { keys } from './keys.js'
import { reset } from './reset.js'
import { rollUp } from './roll-up.js'
import { stale } from './stale.js'

const CHORES: readonly ((store: Store, value: Value, webhooks?: WebhookOptions) => Chore)[] = [
  bringIn,
  age,
  fire,
  reset,
  stale,
  rollUp,
  partitions,
  prune,
  forget,
  keys,
  alerts,
]

export function choresOf(store: Store, value: Value, webhooks?: WebhookOptions): Chore[] {
  return CHORES.map((chore) => chore(store, value, webhooks))
}
