/**
 * What the pages look like apart from their usual data: dialogs, the palette, the search box, the login page, a server that is gone, a
 * database without a job. Each state is reached as a person reaches it.
 */
import type { Page } from 'playwright-core'
import type { Shop } from '../../support/shop/shop.js'

/** `shop`: the seeded database. `read-only`: the same, on a server that refuses changes. `empty`: no job yet. `locked`: it asks for a key. */
export type World = 'shop' | 'read-only' | 'leaving' | 'empty' | 'locked'

export interface State {
  readonly world: World
  readonly place: string
  /** On the loaded page, until it shows the state. */
  readonly reach?: (page: Page, hands: Hands) => Promise<void>
  /** Before the page is opened. */
  readonly before?: (page: Page) => Promise<void>
  /** The page never settles in this state. */
  readonly loads?: boolean
  /** Part of the documents; the others are taken when they are asked for by name. */
  readonly kept?: boolean
}

/** What a state needs from outside of the page. */
export interface Hands {
  /** A key of the locked world. */
  readonly key: string
  /** Ends every session of the locked world. */
  readonly endSessions: () => Promise<void>
  /** Stops the server of the world `leaving`. */
  readonly stopServer: () => Promise<void>
}

const press = (name: string | RegExp) => (page: Page) =>
  page
    .locator('main')
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
const openDialog = (name: string | RegExp) => async (page: Page) => {
  await press(name)(page)
  await page.getByRole('dialog').waitFor()
}
const type = (text: string) => async (page: Page) => {
  await page.keyboard.press('/')
  await page.keyboard.type(text)
}
/** Requests without an answer: what is shown while data loads. */
const without = (path: RegExp) => async (page: Page) => {
  await page.route(path, () => {})
}
const refused = (path: RegExp) => async (page: Page) => {
  await page.route(path, (route) =>
    route.fulfill({
      ...{ status: 503, contentType: 'application/problem+json' },
      body: JSON.stringify({
        ...{ code: 'unavailable', detail: 'The database did not answer within 5 s.' },
        remedy: 'Check that it runs and can be reached; the call can be repeated.',
      }),
    }),
  )
}

/** No process of the pictures carries operations out: how far this one is, the answer says. */
const OPERATION = {
  ...{
    id: 7,
    command: 'retry',
    q: 'kind:charge-card state:failed',
    priority: null,
    by: null,
    state: 'running',
  },
  ...{ until: '2026-11-17T14:03:00Z', expected: 412, expected_capped: false, matched: 260, done: 257 },
  ...{
    failed: 3,
    progress: 0.63,
    limit_reached: false,
    created_at: '2026-11-17T14:03:00Z',
    created_by: 'ada',
  },
  ...{ reason: 'the card network is back', started_at: '2026-11-17T14:03:01Z', ended_at: null },
  ...{ runner: 'node-0:4200', aborted_by: null, abort_reason: null, error: null },
}
const operating = (changes: Partial<Record<keyof typeof OPERATION, unknown>>) => async (page: Page) => {
  const operation = { ...OPERATION, ...changes }
  await page.route(/\/api\/v1\/bulk(\?|$)/, (route) =>
    route.fulfill({
      json:
        route.request().method() === 'POST' ? operation : { operations: [operation], next_page_token: null },
    }),
  )
}

const askForBulk = async (page: Page) => {
  await page.getByLabel('Select all rows').check()
  await page.getByRole('button', { name: 'Select all matching' }).click()
  await page.getByRole('toolbar', { name: 'Selected jobs' }).locator('[data-action]').first().click()
  await page.getByRole('dialog').getByText('jobs match').waitFor()
}

const dialogsOf = (shop: Shop): Record<string, State> => ({
  bulk: {
    ...{ world: 'shop', place: '?page=jobs&q=kind:charge-card', kept: true },
    reach: askForBulk,
  },
  'bulk-progress': {
    ...{ world: 'shop', place: '?page=jobs&q=kind:charge-card', before: operating({}) },
    reach: (page) => page.getByText('257').waitFor(),
  },
  'bulk-abort': {
    ...{
      world: 'shop',
      place: '?page=jobs&q=kind:charge-card',
      before: operating({}),
      reach: openDialog('Abort…'),
    },
  },
  'bulk-done': {
    ...{ world: 'shop', place: '?page=jobs&q=kind:charge-card' },
    before: operating({ state: 'done', matched: 412, done: 409, ended_at: '2026-11-17T14:03:20Z' }),
    async reach(page) {
      await askForBulk(page)
      // Which command comes first depends on the states of the jobs.
      await page.getByRole('dialog').locator('[type=submit]').click()
      await page.getByRole('region', { name: 'Bulk operations' }).getByText('409').waitFor()
    },
  },
  'retry-dialog': { world: 'shop', place: `?page=job&id=${shop.failed}`, reach: openDialog('Retry') },
  'pause-queue': { world: 'shop', place: '?page=queue&name=billing', reach: openDialog('Pause…') },
  'edit-schedule': {
    ...{ world: 'shop', place: '?page=schedule&name=sync-contacts', kept: true },
    async reach(page) {
      await openDialog('Edit…')(page)
      await page.getByRole('dialog').getByText('14:10').waitFor()
    },
  },
  clone: {
    ...{ world: 'shop', place: `?page=job&id=${shop.failed}` },
    async reach(page) {
      await press('More actions')(page)
      await page.getByRole('menuitem', { name: 'Clone and edit…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  'save-view': { world: 'shop', place: '?page=jobs&q=state:failed', reach: openDialog('Save view…') },
  webhook: { world: 'shop', place: '?page=alerts&tab=webhooks', reach: openDialog(/webhook…$/i) },
  webhooks: { world: 'shop', place: '?page=alerts&tab=webhooks' },
  rules: { world: 'shop', place: '?page=alerts&tab=rules' },
  'alert-history': { world: 'shop', place: '?page=alerts&tab=history' },
  silence: { world: 'shop', place: '?page=alerts', reach: openDialog('Silence…') },
  tenants: { world: 'shop', place: '?page=settings&tab=tenants' },
  setting: { world: 'shop', place: '?page=settings', reach: openDialog(/^Change /) },
  'new-key': {
    ...{ world: 'locked', place: '?page=settings&tab=keys' },
    async reach(page, { key }) {
      await signIn(page, key)
      await openDialog('Create key…')(page)
      const dialog = page.getByRole('dialog')
      await dialog
        .getByRole('textbox')
        .first()
        .fill(`grafana-${Math.floor(Math.random() * 1e6)}`)
      await dialog.getByRole('button', { name: /create/i }).click()
      await page.getByText(/hf_/).first().waitFor()
    },
  },
})

const aroundOf = (shop: Shop): Record<string, State> => ({
  palette: {
    ...{ world: 'shop', place: '?page=queue&name=billing', kept: true },
    async reach(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
    },
  },
  keyboard: { world: 'shop', place: '', reach: (page) => page.keyboard.press('?') },
  preferences: {
    ...{ world: 'shop', place: '' },
    reach: (page) => page.getByRole('button', { name: 'Preferences' }).click(),
  },
  drawer: {
    ...{ world: 'shop', place: '' },
    async reach(page) {
      const pages = page.getByRole('button', { name: 'Pages' })
      if (await pages.isVisible()) await pages.click()
    },
  },
  completion: {
    ...{ world: 'shop', place: '?page=jobs', kept: true },
    async reach(page) {
      await type('state:failed k')(page)
      await page.getByRole('listbox').waitFor()
    },
  },
  mistake: {
    ...{ world: 'shop', place: '?page=jobs' },
    async reach(page) {
      await type('state:faild kind:charge-card ')(page)
      await page.getByRole('alert').first().waitFor()
    },
  },
  loading: {
    ...{ world: 'shop', place: '', loads: true },
    before: without(/\/api\/v1\/(?!session)/),
  },
  refused: {
    ...{ world: 'shop', place: '?page=queues' },
    before: refused(/\/api\/v1\/queues/),
  },
  'old-data': {
    ...{ world: 'shop', place: '?page=doctor' },
    async reach(page) {
      await refused(/\/api\/v1\/doctor/)(page)
      await press('Examine again')(page)
      await page.getByText(/^Shown as of/).waitFor()
      await page.unroute(/\/api\/v1\/doctor/)
    },
  },
  'no-job': { world: 'shop', place: '?page=job&id=99999999' },
  'no-match': { world: 'shop', place: '?page=jobs&q=key:nothing-has-it' },
  'error-group': {
    ...{ world: 'shop', place: '?page=errors' },
    async reach(page) {
      await page.locator('.error-groups a').first().click()
      await page.waitForURL(/page=error&/)
      await page.getByText('Attempts per hour').waitFor()
    },
  },
  'charts-24h': { world: 'shop', place: '?span=24h', reach: (page) => toCharts(page) },
  'charts-run': { world: 'shop', place: '?tab=run', reach: (page) => toCharts(page) },
  'not-live': {
    ...{ world: 'leaving', place: '?page=queues' },
    async reach(page, { stopServer }) {
      await stopServer()
      await page.getByText(/^Not live since/).waitFor()
    },
  },
  'read-only': { world: 'read-only', place: '' },
  'read-only-job': { world: 'read-only', place: `?page=job&id=${shop.failed}` },
})

const toCharts = async (page: Page) => {
  await page.locator('.charts').scrollIntoViewIfNeeded()
  await page.mouse.wheel(0, 520)
}

const signIn = async (page: Page, key: string) => {
  await page.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('header.top').waitFor()
}

const ACCESS: Record<string, State> = {
  login: { world: 'locked', place: '', loads: true, kept: true },
  'wrong-key': {
    ...{ world: 'locked', place: '', loads: true },
    async reach(page) {
      await page.getByLabel('API key', { exact: true }).fill('hf_wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('does not accept this key').waitFor()
    },
  },
  'session-ended': {
    ...{ world: 'locked', place: '?page=jobs', loads: true },
    async reach(page, { key, endSessions }) {
      await signIn(page, key)
      await endSessions()
      await page.reload()
      await page.getByLabel('API key', { exact: true }).waitFor()
    },
  },
}

const EMPTY: Record<string, State> = Object.fromEntries(
  [
    ...[
      '',
      'jobs',
      'errors',
      'kinds',
      'queues',
      'targets',
      'schedules',
      'workers',
      'doctor',
      'alerts',
      'audit',
    ],
    ...['settings&tab=keys', 'settings&tab=tenants', 'alerts&tab=history', 'alerts&tab=webhooks'],
  ].map((page) => [
    `empty-${(page === '' ? 'overview' : page).replace(/.*&tab=/, '')}`,
    { world: 'empty', place: page === '' ? '' : `?page=${page}`, kept: page === '' },
  ]),
)

/** By what they are about. */
export const STATES = {
  dialogs: dialogsOf,
  around: aroundOf,
  beginnings: (_shop: Shop) => ({ ...ACCESS, ...EMPTY }),
} as const satisfies Record<string, (shop: Shop) => Readonly<Record<string, State>>>

export const statesOf = (shop: Shop): Readonly<Record<string, State>> =>
  Object.assign({}, ...Object.values(STATES).map((states) => states(shop)))
