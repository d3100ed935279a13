/**
 * What a person does with conversations that stand still, over HTTP: looks at the blocked targets, clears a turn that has used up its tokens,
 * and resumes a turn that was interrupted or whose worker has died.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, createClient, HoldfastError, type Target } from 'holdfast/client'
import { presetReason, stateWord } from 'holdfast/store'
import type { Print } from '../support/print.js'

export interface Operator {
  /** Whether the turn was running, so that its worker is asked to stop. */
  interrupt(tenant: string, jobId: number): Promise<boolean>
  stop(): Promise<void>
}

interface OperatorOptions {
  readonly url: string
  readonly tenants: readonly string[]
  /** How long a blocked target is left for the reader to see. */
  readonly lookMs: number
  readonly print: Print
}

const LOOK_EVERY_MS = 100

export function startOperator({ url, tenants, lookMs, print }: OperatorOptions): Operator {
  const clients = new Map(tenants.map((tenant) => [tenant, createClient({ url, tenant })]))
  const stopping = new AbortController()
  const seen = new Set<string>()

  async function look(tenant: string, client: Client): Promise<void> {
    for (const target of await client.queues.blockedTargets()) {
      const { jobId, state, since, blockedMs, behind } = target
      const key = `${jobId} ${since.toISOString()}`
      if (!seen.has(key)) {
        seen.add(key)
        const word = stateWord('target', state, { attempted: true })
        print(
          'blocked',
          `${target.target}: job ${jobId} ${word}, ${reasonOf(target)} (turns behind it: ${behind})`,
          'bad',
        )
      }
      if (blockedMs >= lookMs) await unblock(tenant, client, target)
    }
  }

  async function unblock(tenant: string, client: Client, blocked: Target): Promise<void> {
    const { target, jobId } = blocked
    if (/tokens; its limit/.test(reasonOf(blocked))) {
      await client.jobs.discard(jobId, { reason: 'it used all its tokens' })
      print('operator', `cleared job ${jobId}: ${target} goes on without this turn`)
      return
    }
    const path = `/targets/${encodeURIComponent(target)}/jobs/${jobId}/resume/`
    const response = await fetch(`${url}${path}`, { method: 'POST', headers: { 'holdfast-tenant': tenant } })
    if (response.ok)
      print('operator', `POST ${path}: ${((await response.json()) as { status: string }).status}`)
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const [tenant, client] of clients)
        await look(tenant, client).catch((error: Error) => print('operator', error.message, 'bad'))
      await wait(LOOK_EVERY_MS)
    }
  }

  const watching = watch()
  return {
    async interrupt(tenant, jobId) {
      try {
        // A turn that has lost its worker by now would end for good.
        await clients.get(tenant)?.jobs.cancel(jobId, { reason: 'stop, please', ifState: 'running' })
        return true
      } catch (error) {
        if (error instanceof HoldfastError && error.code === 'wrong_state') return false
        throw error
      }
    },
    async stop() {
      stopping.abort()
      await watching
    },
  }
}

const reasonOf = (target: Target) => presetReason('target', target) ?? target.lastError ?? 'no reason given'
