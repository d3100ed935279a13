/** The database side of `Console`: the store itself, with webhooks and upkeep as the configuration of this process sets them. */
import type { Config } from '../../config/resolve.js'
import type { Store } from '../../store/store.js'
import type { Console } from './console.js'

export function databaseConsole(store: Store, config: Config): Console {
  const { enqueueMany, read, list, commands, queues, stats, kinds, subjects } = store
  const { schedules, workers, alerts, settings, keys, tenants, audit } = store
  return {
    enqueueMany,
    read,
    list,
    commands,
    queues,
    stats,
    kinds,
    subjects,
    schedules,
    workers,
    alerts,
    webhooks: webhooksOn(store, config),
    settings,
    upkeep: upkeepOn(store, config),
    keys,
    tenants,
    audit,
  } satisfies Console
}

/** Imported on first use: TLS certificates and HTTP clients would slow down every other command. */
function webhooksOn(store: Store, config: Config): Console['webhooks'] {
  const load = async () => {
    const [{ Webhooks }, { webhookOptionsOf }] = await Promise.all([
      import('../../webhooks/webhooks.js'),
      import('../../app/configured.js'),
    ])
    return new Webhooks(store, webhookOptionsOf(config))
  }
  return {
    add: async (webhook) => (await load()).add(webhook),
    list: async (where) => (await load()).list(where),
    enable: async (id, enabled, act) => (await load()).enable(id, enabled, act),
    remove: async (id, act) => (await load()).remove(id, act),
    test: async (id) => (await load()).test(id),
    deliveries: async (id, where) => (await load()).deliveries(id, where),
  }
}

/** Imported on first use, like webhooks. A chore that a command runs is run by the command's own process. */
function upkeepOn(store: Store, config: Config): Console['upkeep'] {
  const load = async () => {
    const { ChoreRunner } = await import('../../app/chores/chore-runner.js')
    return new ChoreRunner(store, config.localSettings())
  }
  return {
    list: async () => (await load()).list(),
    run: async (name) => (await load()).run(name),
  }
}
