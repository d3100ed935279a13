// Writes sql/schema.sql: what a database has after `holdfast migrate up`, read back from a real one. Run it after a build; a
// test fails while the picture is stale.
import { writeFileSync } from 'node:fs'
import { describeSchema } from '../dist/database/describe.js'
import { startEmbedded } from '../dist/embedded.js'
import { migrateUp, openPostgres } from '../dist/store.js'

const server = await startEmbedded({ ephemeral: true })
const database = openPostgres({ url: server.url, connections: 1 })
try {
  await migrateUp(database, 'holdfast')
  writeFileSync(new URL('../sql/schema.sql', import.meta.url), await describeSchema(database, 'holdfast'))
} finally {
  await database.close()
  await server.stop()
}
