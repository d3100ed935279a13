import { healthContract } from '../../contract/health.js'
import { holdfastError } from '../../domain/errors.js'
import { checkSchema } from '../../store/migrate.js'
import { type Call, routes } from '../route.js'

const FINE = { status: 200, body: { status: 'ok' } } as const

/** Short: whoever asks wants to know now. */
const DATABASE_MS = 3_000

async function ready({ store, server }: Call) {
  if (server.stopping.aborted) throw holdfastError('draining')
  await store.database.query('select 1', [], { repeatable: true, deadlineMs: DATABASE_MS })
  await checkSchema(store.database, store.schema)
  return FINE
}

export const healthRoutes = routes<typeof healthContract>(healthContract, {
  livez: async () => FINE,
  readyz: ready,
  healthz: ready,
})
