import { toWire } from '../../contract/case.js'
import { upkeepContract } from '../../contract/upkeep.js'
import type { ChoreStatus } from '../../domain/chores.js'
import { routes } from '../route.js'

export const upkeepRoutes = routes<typeof upkeepContract>(upkeepContract, {
  listChores: async ({ server, who }) => {
    const chores = await server.chores.list()
    const shown = who.tenant === '*' ? chores : chores.map(withoutError)
    return { status: 200, body: { chores: shown.map((chore) => toWire(chore)) } }
  },
  runChore: async ({ server, params }) => ({
    status: 200,
    body: toWire(await server.chores.run(params.name)),
  }),
})

/** An error can name what belongs to some tenant. That there was one, everybody may see. */
function withoutError(chore: ChoreStatus): ChoreStatus {
  return chore.error === null ? chore : { ...chore, error: 'Only a key of every tenant sees why.' }
}
