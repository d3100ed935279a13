import { toWire } from '../../contract/case.js'
import { upkeepContract } from '../../contract/upkeep.js'
import { routes } from '../route.js'

export const upkeepRoutes = routes<typeof upkeepContract>(upkeepContract, {
  listChores: async ({ server }) => ({
    status: 200,
    body: { chores: (await server.chores.list()).map((chore) => toWire(chore)) },
  }),
  runChore: async ({ server, params }) => ({
    status: 200,
    body: toWire(await server.chores.run(params.name)),
  }),
})
