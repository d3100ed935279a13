/** The database side of `Console`: the store itself, with webhooks and upkeep as the configuration of this process sets them. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../../config/resolve.js'
import { LIMITS } from '../../domain/limits.js'
import { carryOut } from '../../store/bulk/carry-out.js'
import type { Store } from '../../store/store.js'
import type { Console } from './console.js'

export function databaseConsole(store: Store, config: Config): Console {
  const { enqueueMany, read, list, search, commands, queues, stats, overview, errors, kinds, subjects } =
    store
  const { schedules, workers, alerts, settings, keys, tenants, audit } = store
  return {
    enqueueMany,
    read,
    list,
    search: {
      page: (q, scope) => search.page(q, { ...scope, budgetMs: LIMITS.searchBudgetMs.hardMax }),
    },
    commands,
    bulk: bulkOn(store),
    queues,
    stats,
    overview,
    errors,
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

/** How long a command carries an operation out before it shows the progress again. */
const PROCEED_MS = 200
/** How long it waits where another process has the operation. */
const OTHERS_MS = 300

function bulkOn({ bulk }: Store): Console['bulk'] {
  const runner = `${hostname()}:${process.pid}:${randomUUID()}`
  return {
    preview: (request) => bulk.preview(request),
    start: (request) => bulk.start(request),
    get: (id) => bulk.get(id),
    list: (where) => bulk.list(where),
    results: (id, where) => bulk.results(id, where),
    abort: (id, act) => bulk.abort(id, act),
    proceed: async (id, stopping) => {
      const { more } = await carryOut(bulk, { runner, id, forMs: PROCEED_MS, stopping })
      if (!more) await wait(OTHERS_MS, undefined, { signal: stopping }).catch(() => {})
    },
  }
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
