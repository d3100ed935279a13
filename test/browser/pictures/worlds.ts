/** The servers that pictures are taken of, each built when it is first needed. */
import { buildServer } from 'holdfast/server'
import type { Store } from 'holdfast/store'
import type { Shop } from '../../support/shop/shop.js'
import type { Hands, World } from './states.js'

const USUAL_PORT = 8080

type Server = ReturnType<typeof buildServer>

interface Stores {
  readonly filled: Store
  readonly empty: Store
  readonly locked: Store
}

export class Worlds {
  readonly shop: Shop
  readonly #stores: Stores
  readonly #open = new Map<World, { readonly app: Server; readonly url: string }>()
  #key = ''

  constructor(stores: Stores, shop: Shop) {
    this.#stores = stores
    this.shop = shop
  }

  async url(world: World): Promise<string> {
    const known = this.#open.get(world)
    if (known !== undefined) return known.url
    if (world === 'locked') await this.#lock()
    const { filled, empty, locked } = this.#stores
    const store = world === 'empty' ? empty : world === 'locked' ? locked : filled
    const app = buildServer(store, { loopback: world !== 'locked', readOnly: world === 'read-only' })
    // The page takes the time of the server from this header.
    app.addHook('onSend', async (_request, reply) => void reply.header('date', this.shop.now.toUTCString()))
    const listen = (port: number) => app.listen({ port, host: '127.0.0.1' })
    // The empty overview shows the address of the server: the usual one where it is free, so that two pictures are alike.
    const url = await (world === 'empty' ? listen(USUAL_PORT).catch(() => listen(0)) : listen(0))
    this.#open.set(world, { app, url })
    return url
  }

  /** A server asks for a key from the first one on that was ever created. */
  async #lock(): Promise<void> {
    const { secret } = await this.#stores.locked.keys.create({ name: 'ada', scopes: ['admin'], tenant: '*' })
    this.#key = secret
  }

  get hands(): Hands {
    return {
      key: this.#key,
      endSessions: async () => {
        const { database, schema } = this.#stores.locked
        await database.query(`delete from ${schema}.web_session`)
      },
      stopServer: async () => {
        await this.#open.get('leaving')?.app.close()
        this.#open.delete('leaving')
      },
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ app }) => app.close()))
  }
}
