/** For a server that does no upkeep itself: how the chores of others go, and none that it could do. */
import type { Chores } from '../domain/chores.js'
import { holdfastError } from '../domain/errors.js'
import type { Store } from '../store/store.js'

export function choresHeardOf({ upkeep }: Store): Chores {
  return {
    list: async () => (await upkeep.chores()).map((run) => ({ of: '', ...run })),
    run: async (chore) => {
      throw holdfastError('unknown_chore', { chore })
    },
  }
}
