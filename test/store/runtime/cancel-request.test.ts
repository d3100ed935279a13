// The request that cancels a late call, as a pooler receives it.
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { cancelWhenLate } from '../../../src/database/cancel-late-call.js'
import { postgresUrl } from '../../support/world.js'

it('a cancel request leaves it to the other side to close the connection, because PgBouncer 1.18 dies otherwise', async () => {
  const events: string[] = []
  let closed = () => {}
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  const pooler = createServer((socket) => {
    socket.on('end', () => events.push('the caller closes'))
    socket.on('close', () => closed())
    socket.on('data', (bytes) => {
      events.push(`request of ${bytes.length} bytes`)
      // Whatever else the caller sends has arrived by now.
      setImmediate(() => setImmediate(() => socket.end(() => events.push('the pooler closes'))))
    })
  })
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void pooler.close())
  const client = new pg.Client({ connectionString: postgresUrl() })
  await client.connect()
  onTestFinished(() => client.end())
  // The statement runs on Postgres; its cancellation goes to the pooler.
  const { port } = pooler.address() as AddressInfo
  Object.assign(client, { host: '127.0.0.1', port })
  const work = client.query('select pg_sleep(0.4)')
  await cancelWhenLate(client as unknown as pg.PoolClient, 200, work, () => {}).catch(() => {})
  await isClosed
  expect(events.slice(0, 2)).toEqual([expect.stringMatching(/^request of 1\d bytes$/), 'the pooler closes'])
  await work
})
