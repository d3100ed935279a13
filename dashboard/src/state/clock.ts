/**
 * One clock for all relative times, so that they tick together and a hidden tab does nothing. `skewMs` is how far this computer is off:
 * ages are counted with the clock of the database, which wrote the times.
 */
import { computed, signal } from '@preact/signals'
import { stored } from './stored.js'

const local = signal(Date.now())
const skewMs = signal(0)

setInterval(() => {
  if (!document.hidden) local.value = Date.now()
}, 1000)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) local.value = Date.now()
})

/** Now, at the database, by the second. */
export const now = computed(() => local.value + skewMs.value)

/** The clock of the database, which wrote the times, as an answer had it. Smaller differences are the way of the answer. */
export function noteDatabaseTime(at: string): void {
  const skew = Date.parse(at) - Date.now()
  if (Number.isFinite(skew)) skewMs.value = Math.abs(skew) < 2_000 ? 0 : skew
}

/** How exact times are shown. */
export const ZONES = ['local', 'utc'] as const
export const zone = stored<(typeof ZONES)[number]>('holdfast.zone', ZONES, 'local')
