// Malformed requests over every route and field. `npm run prove:server` sends a hundred thousand of them to a server process.
import { expect, it } from 'vitest'
import { defaultRoutes } from '../../src/server/app.js'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'
import { bombard } from './proof/bombard.js'
import { fieldsOf, nameOf } from './proof/fields.js'
import { subjectOn } from './proof/subject.js'

const ROUTES = defaultRoutes()

const KEY = 'an-admin-key-of-the-test'
const COUNT = 2_500

it('every route has fields to attack, and each field is attacked', () => {
  const all = ROUTES.flatMap(fieldsOf)
  expect(all.length).toBeGreaterThan(400)
  expect(ROUTES.filter((route) => fieldsOf(route).length === 0)).toEqual([])
  expect(new Set(all.map(nameOf)).size).toBe(all.length)
})

it('thousands of malformed requests over every route and field get 4xx and nothing else, nine of ten of them by the contract', async () => {
  const { url } = await serve(await freshStore(), { adminKey: KEY })
  const subject = await subjectOn(url, KEY)
  const outcome = await bombard(
    { url, key: KEY, subject },
    { routes: ROUTES, seed: 26, count: COUNT, atOnce: 8 },
  )
  expect(outcome.wrong).toEqual([])
  expect(outcome).toMatchObject({ malformed: COUNT })
  expect(outcome.byStage.contract).toBeGreaterThanOrEqual(COUNT * 0.9)
  expect(outcome.allowed).toBeGreaterThan(COUNT / 20)
})
