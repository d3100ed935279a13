/** Events of the feed as they are kept for clients, each with the cursor that stands behind it. */
import type { FollowedEvent } from '../../store/follow.js'
import { type Cursor, partsOf, placedAt } from './cursor.js'
import type { Entry } from './ring.js'

/** The feed's own words for "in the middle of this page". */
export function cursorAt(position: Cursor | undefined, now: Cursor, { xid, id }: FollowedEvent): string {
  const [from = ''] = partsOf(position ?? now)
  const [first = '', to = first] = partsOf(now)
  return placedAt(now, from, to, xid, id)
}

const RESTARTED = 'feed_restarted'

/** Whether a page says that its cursor could not be followed. */
export const isRestart = ({ type }: FollowedEvent): boolean => type === RESTARTED

/** The same for a client whose cursor is of another server than ours. */
export function restartOf(since: Cursor, now: Cursor): Entry {
  const reason = 'The cursor is of another server. The feed goes on from now; events before may be missing.'
  const said = { at: new Date(), actor: 'system', reason, data: { from: since.server, to: now.server } }
  const event = { id: 0, xid: 0, tenant: null, type: RESTARTED, jobIds: [], queueId: null, ...said }
  return entryOf(event, now.text)
}

export function entryOf({ xid, tenant, ...event }: FollowedEvent, cursor: string): Entry {
  const { id, at, type, jobIds, queueId, actor, reason, data } = event
  const text = JSON.stringify({ type, at, job_ids: jobIds, queue_id: queueId, actor, reason, data })
  return { xid, id, tenant, cursor, text, isJob: jobIds.length > 0 }
}

/** Whether an event may mean that this key opens less than before; null: whoever came without one. */
export function concernsKey({ type, data }: FollowedEvent, keyId: number | null): boolean {
  const { key, replaces } = (data ?? {}) as { key?: unknown; replaces?: unknown }
  if (type === 'key_created') return keyId === null
  if (type === 'key_revoked') return key === keyId
  return type === 'key_rotated' && replaces === keyId
}
