// How a server ends, and how whoever waits there hears of it.
import { once } from 'node:events'
import { type Call, routes } from 'holdfast/server'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { expectProblem, freshServer } from './world.js'

const waitContract = {
  waitHere: {
    method: 'GET',
    path: '/wait',
    scope: 'read',
    tag: 'test',
    summary: 'Waits until the call is over for whatever reason',
    response: { 200: z.object({ aborted: z.boolean() }) },
    errors: [],
  },
} as const

function signalled() {
  let tell = () => {}
  const promise = new Promise<void>((resolve) => {
    tell = resolve
  })
  return { promise, tell }
}

/** A route on which a call waits as a long poll does, and what happened there. */
function waiting() {
  const came = signalled()
  const left = signalled()
  const handle = async ({ signal }: Pick<Call, 'signal'>) => {
    came.tell()
    if (!signal.aborted) await once(signal, 'abort')
    left.tell()
    return { status: 200, body: { aborted: signal.aborted } } as const
  }
  return {
    came: came.promise,
    left: left.promise,
    routes: routes<typeof waitContract>(waitContract, { waitHere: handle }),
  }
}

it('a call that waits is answered when the server stops, and the server then ends', async () => {
  const { came, routes: extra } = waiting()
  const { app } = await freshServer({ routes: extra })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = fetch(`${url}/wait`)
  await came
  await app.close()
  expect(await (await answer).json()).toEqual({ aborted: true })
  await expect(fetch(`${url}/livez`)).rejects.toThrow()
})

it('a call whose caller has gone is told so', async () => {
  const { came, left, routes: extra } = waiting()
  const { app } = await freshServer({ routes: extra })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const gone = new AbortController()
  const answer = fetch(`${url}/wait`, { signal: gone.signal })
  await came
  gone.abort()
  await expect(answer).rejects.toThrow()
  await left
})

it('a route of your own stands in the contract and is guarded like the others', async () => {
  const { call, key } = await freshServer({ routes: waiting().routes })
  expect((await call('GET', '/openapi.json')).body.paths['/wait'].get).toMatchObject({
    operationId: 'waitHere',
  })
  const producer = await key(['enqueue'])
  expectProblem(await call('GET', '/wait'), 401, 'unauthorized')
  expectProblem(await call('GET', '/wait', { key: producer }), 403, 'scope_missing')
})
