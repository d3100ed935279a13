/** The server of the run, for the workers that have no database. */

import { buildServer } from 'holdfast/server'
import { openStore } from 'holdfast/store'

const { url, port } = JSON.parse(process.argv[2] as string) as { url: string; port: number }
process.on('disconnect', () => process.exit(0))

const store = await openStore({ url })
const app = buildServer(store, { loopback: true })
await app.listen({ port, host: '127.0.0.1' })
process.send?.({ port: (app.server.address() as { port: number }).port })
