/** The chores of a process: lists them, and runs one on request. */
import type { ChoreDone, ChoreRun, ChoreStatus, Chores } from '../../domain/chores.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { nearest } from '../../domain/nearest.js'
import type { LocalSettings } from '../../domain/settings.js'
import type { Store } from '../../store/store.js'
import type { WebhookOptions } from '../../webhooks/addresses.js'
import { type Chore, cachedSettings, type Done, PASS_DEADLINE_MS } from './chore.js'
import { ChoreNotes } from './notes.js'
import { choresOf } from './table.js'

export class ChoreRunner implements Chores {
  readonly chores: readonly Chore[]
  readonly notes: ChoreNotes
  readonly #store: Store

  constructor(store: Store, local: LocalSettings = {}, webhooks?: WebhookOptions) {
    this.#store = store
    this.chores = choresOf(
      store,
      cachedSettings(() => store.settings.list(), local),
      webhooks,
    )
    this.notes = new ChoreNotes(store)
  }

  async list(): Promise<ChoreStatus[]> {
    const runs = new Map((await this.#store.upkeep.chores()).map((run) => [run.name, run]))
    return Promise.all(
      this.chores.map(async (chore) => statusOf(chore, await chore.everyMs(), runs.get(chore.name))),
    )
  }

  async run(name: string): Promise<ChoreDone> {
    const chore = this.chores.find((each) => each.name === name)
    if (chore === undefined) {
      const names = this.chores.map((each) => each.name)
      throw holdfastError('unknown_chore', { chore: name, nearest: nearest(name, names) })
    }
    const began = performance.now()
    try {
      const { rows: passed, more = false } = await this.pass(chore)
      const rows = passed + ((await chore.finish?.()) ?? 0)
      return { name, rows, more, durationMs: Math.round(performance.now() - began) }
    } finally {
      await this.notes.say()
    }
  }

  /** Runs one pass and records its result. Also returns the interval until the next, which may cost a query to read. */
  async pass(chore: Chore, stopping?: AbortSignal): Promise<Done & { readonly everyMs: number }> {
    const began = performance.now()
    const note = async (rows: number, error: string | null) => {
      const everyMs = await chore.everyMs()
      const durationMs = performance.now() - began
      await this.notes.note({ name: chore.name, everyMs, durationMs, rows, error })
      return everyMs
    }
    try {
      const done = await inTime(chore, stopping)
      return { ...done, everyMs: await note(done.rows, null) }
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      // A role that may not run a chore leaves it to others, which is no failure. Without an answer that cannot be recorded either.
      if (code !== 'forbidden') await note(0, message).catch(() => {})
      throw error
    }
  }
}

/** The work behind a pass that timed out may continue; the next pass does not wait for it. */
async function inTime(chore: Chore, stopping: AbortSignal | undefined): Promise<Done> {
  const ms = chore.deadlineMs ?? PASS_DEADLINE_MS
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(holdfastError('deadline_exceeded', { call: `of the chore ${chore.name}`, ms })),
      ms,
    )
    // Upkeep alone must not keep a process alive.
    timer.unref()
  })
  try {
    return await Promise.race([chore.run(stopping), late])
  } finally {
    clearTimeout(timer)
  }
}

function statusOf({ name, of }: Chore, everyMs: number, run: ChoreRun | undefined): ChoreStatus {
  return {
    name,
    of,
    everyMs,
    lastRunAt: run?.lastRunAt ?? null,
    nextDueAt: run?.nextDueAt ?? null,
    durationMs: run?.durationMs ?? null,
    rows: run?.rows ?? null,
    runs: run?.runs ?? 0,
    rowsTotal: run?.rowsTotal ?? 0,
    lastChangeAt: run?.lastChangeAt ?? null,
    failures: run?.failures ?? 0,
    error: run?.error ?? null,
    failedAt: run?.failedAt ?? null,
    node: run?.node ?? null,
  }
}
