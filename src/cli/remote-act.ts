/** Who did something at a server is the key; what remains to be said is why. */
import type { Why } from '../client/steering.js'
import { given } from '../domain/given.js'
import type { Act } from '../store/operate.js'

export type { Act }

export function why({ reason }: Act): Why {
  return given({ reason })
}
