/** Every chore there is. A new one is a file beside this one and a line here. */
import type { Store } from '../../store/store.js'
import { age } from './age.js'
import { bringIn } from './bring-in.js'
import type { Chore, Value } from './chore.js'
import { forget, partitions, prune } from './history.js'

const CHORES: readonly ((store: Store, value: Value) => Chore)[] = [bringIn, age, partitions, prune, forget]

export function choresOf(store: Store, value: Value): Chore[] {
  return CHORES.map((chore) => chore(store, value))
}
