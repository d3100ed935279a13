/** A job as it was sent, for the store. It says who made it; whoever has a key is known by its name. */
import { fromWire } from '../contract/case.js'
import type { NewJob } from '../store/new-job.js'
import type { Principal } from './principal.js'

export function newJobOf(said: object, who: Principal): NewJob {
  const job = fromWire<NewJob>(said)
  return job.createdBy !== undefined || who.open ? job : { ...job, createdBy: who.name }
}
