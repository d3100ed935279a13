/** Keys and sessions in a real browser: what a key that may only read is refused, and where the cookie goes. */
import { expect, it } from 'vitest'
import { allows } from '../../src/contract/endpoint.js'
import { defaultRoutes } from '../../src/server/app.js'
import { NOBODYS, requestOf } from '../server/samples.js'
import { confirm, failedJob, signIn } from '../support/browser/acts.js'
import { dashboardOn, settled } from '../support/browser/dashboard.js'
import { ReverseProxy } from '../support/browser/reverse-proxy.js'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'

/** Every route that a session for reading must not reach, with a request that fits it. */
const FORBIDDEN = defaultRoutes()
  .filter(({ endpoint }) => endpoint.scope !== null && !allows(endpoint, ['read']))
  .map((route) => ({ name: route.name, method: route.endpoint.method, ...requestOf(route, NOBODYS) }))

it('a key that may only read shows no command, and the server refuses every route that it may not call', async () => {
  const served = await serve(await freshStore())
  const jobId = await failedJob(served.store)
  const { secret } = await served.store.keys.create({ name: 'viewer', scopes: ['read'], tenant: '*' })
  const { page, problems } = await dashboardOn(served)
  problems.expect(/session.* 401|status of 401/)
  await page.goto(`${served.url}/?page=job&id=${jobId}`)
  await signIn(page, secret)
  await page.getByText('Why did it fail?').waitFor()
  expect(await page.getByRole('button', { name: /Retry|Resume|Cancel|Discard|Clone/ }).count()).toBe(0)
  // The calls that the page would make: from its own origin, with the cookie and the token of the session.
  problems.expect(/response: .* 403|status of 403/)
  const answers = await page.evaluate(async (calls) => {
    const session = await fetch('api/v1/session')
    const { csrf_token } = (await session.json()) as { csrf_token: string }
    const answers: string[] = []
    for (const { name, method, url, body } of calls) {
      const answer = await fetch(url, {
        method,
        headers: { 'x-csrf-token': csrf_token, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const { code } = (await answer.json()) as { code: string }
      answers.push(`${name} ${answer.status} ${code}`)
    }
    return answers
  }, FORBIDDEN)
  expect(answers.length).toBeGreaterThan(80)
  expect(answers).toEqual(FORBIDDEN.map(({ name }) => `${name} 403 scope_missing`))
  expect((await served.store.read.job(jobId)).state).toBe('failed')
})

it('below /ops/jobs/ a session is opened, a job is retried, the page is live, and the session ends', async () => {
  const served = await serve(await freshStore(), { basePath: '/ops/jobs' })
  const proxy = await ReverseProxy.open(served.url, '/ops/jobs/')
  const jobId = await failedJob(served.store)
  const { secret } = await served.store.keys.create({ name: 'boss', scopes: ['operate', 'read'] })
  const { page, problems } = await dashboardOn({ ...served, url: `${proxy.url}/ops/jobs` })
  problems.expect(/ 401|status of 401/)
  await page.goto(`${proxy.url}/ops/jobs/?page=job&id=${jobId}`)
  await signIn(page, secret)
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ path: '/ops/jobs/', httpOnly: true, sameSite: 'Strict' })
  await page.getByRole('button', { name: 'Retry', exact: true }).first().click()
  await confirm(page, 'Retry job', 'the network is back')
  await page.locator('h1').getByText('queued').waitFor()
  // What happens elsewhere comes by the stream.
  await served.store.commands.cancel(jobId, { actor: 'ada' })
  await page.locator('h1').getByText('canceled').waitFor()
  await page.reload()
  await settled(page)
  await page.getByRole('button', { name: 'Preferences' }).click()
  await page.getByRole('menuitem', { name: /Sign out/ }).click()
  await page.getByLabel('API key', { exact: true }).waitFor()
  expect(await page.context().cookies()).toEqual([])
})
