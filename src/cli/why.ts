/** Through a server, who did it is the key; why goes along. */
import type { Act } from '../store/operate.js'

export function why({ reason }: Act): { reason?: string } {
  return reason === undefined ? {} : { reason }
}
