/** Events of the feed as they are kept for clients, each with the cursor that stands behind it. */
import type { FollowedEvent } from '../../store/follow.js'
import type { Cursor } from './cursor.js'
import type { Entry } from './ring.js'

/** The feed's own words for "in the middle of this page". */
export function cursorAt(position: Cursor | undefined, now: Cursor, { xid, id }: FollowedEvent): string {
  const [from] = (position ?? now).text.split('|')
  const [, to = now.text] = now.text.split('|')
  return `${from}|${to}|${xid}|${id}`
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
