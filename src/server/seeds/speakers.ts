/**
 * Whose a pulled job is, and which words it speaks. Known from the pull, as a rule, so that a report is one question to the database and not
 * two; otherwise, when another server answered the pull or it was long ago, it is asked for. Neither a job's queue nor a queue's preset ever changes.
 */
import type { Fence } from '../../domain/port.js'
import type { SpokenJob } from '../../store/documents.js'
import type { Store } from '../../store/store.js'
import type { ServerFacts } from '../route.js'

type Speaker = Pick<SpokenJob, 'tenant' | 'preset'>

const REMEMBERED_MAX = 50_000

class Speakers {
  /** By lease, which a pull makes for its one job and whose number never comes again. */
  readonly #known = new Map<number, Speaker & { readonly jobId: number }>()

  learn({ lease, jobId }: Fence, { tenant, preset }: Speaker): void {
    this.#known.set(lease, { jobId, tenant, preset })
    if (this.#known.size <= REMEMBERED_MAX) return
    const [oldest] = this.#known.keys()
    this.#known.delete(oldest as number)
  }

  /** Undefined: there is no such job. */
  async of(store: Store, { lease, jobId }: Fence): Promise<Speaker | undefined> {
    const known = this.#known.get(lease)
    return known?.jobId === jobId ? known : store.documents.speaker(jobId)
  }
}

const all = new WeakMap<ServerFacts, Speakers>()

export function speakersOf(server: ServerFacts): Speakers {
  let speakers = all.get(server)
  if (speakers === undefined) {
    speakers = new Speakers()
    all.set(server, speakers)
  }
  return speakers
}
