// What must not keep a server from closing.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { freshServer } from './world.js'

it('a connection on which nothing was ever asked ends with the server', async () => {
  const { app } = await freshServer()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  await once(app.server, 'connection')
  const gone = once(socket, 'close')
  socket.resume()
  await app.close()
  await gone
  expect(app.server.listening).toBe(false)
})

it('a connection that is kept alive ends with the server', async () => {
  const { app } = await freshServer()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/livez`)
  expect(await answer.json()).toEqual({ status: 'ok' })
  await app.close()
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow()
})
