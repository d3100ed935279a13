/** An app of a test's own: in a schema of its own in the run's Postgres, stopped when the test ends. */
import { type App, type HoldfastOptions, holdfast } from 'holdfast'
import { onTestFinished } from 'vitest'
import { type Driver, freshStore, isNotifyOn, pinnedStore, type World } from './world.js'

type Options = Omit<HoldfastOptions, 'store' | 'url' | 'embedded' | 'schema' | 'migrate'>

export async function freshApp(options: Options, driver: Driver = 'postgres'): Promise<App> {
  const store = await freshStore(driver)
  return appOn({ ...options, store })
}

/** The same with a clock that stands still until the test moves it. */
export async function pinnedApp(
  options: Options,
  driver: Driver = 'postgres',
): Promise<{ app: App; clock: World['clock'] }> {
  const store = await pinnedStore(driver)
  return { app: await appOn({ ...options, store }), clock: store.clock }
}

async function appOn(options: HoldfastOptions): Promise<App> {
  const app = await holdfast({ notify: isNotifyOn(), ...options })
  // Registered after the store, so it ends before the store does.
  onTestFinished(() => app.stop())
  return app
}
