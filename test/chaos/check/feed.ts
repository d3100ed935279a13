/** Who follows the feed has seen every event that is there once, and none that is not. */
import type { Evidence, Violation } from '../evidence.js'

export function feed({ events, followed }: Evidence): Violation[] {
  const found: Violation[] = []
  for (const [id, { type, jobs }] of events) {
    const times = followed.seen.get(id) ?? 0
    const [job] = jobs
    const of = job === undefined ? {} : { job }
    if (times === 0) found.push({ rule: 'the feed missed an event', ...of, detail: `${type} (event ${id})` })
    if (times > 1)
      found.push({ rule: 'the feed showed an event twice', ...of, detail: `${type} (event ${id})` })
  }
  for (const id of followed.seen.keys())
    if (!events.has(id)) found.push({ rule: 'the feed showed what is not there', detail: `event ${id}` })
  if (followed.restarts > 0)
    found.push({ rule: 'the feed started over', detail: `${followed.restarts} times, on the same server` })
  return found
}
