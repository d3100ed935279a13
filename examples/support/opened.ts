/** What an example has opened: closed in the opposite order when it stops, and when its start fails half-way. */
export class Opened {
  readonly #closes: (() => unknown)[] = []

  /** Remembers how to close something, and returns it. */
  add<T>(opened: T, close: (opened: T) => unknown): T {
    this.#closes.push(() => close(opened))
    return opened
  }

  async close(): Promise<void> {
    for (let close = this.#closes.pop(); close !== undefined; close = this.#closes.pop()) await close()
  }
}

/** Nothing stays behind when `work` fails: no database, no worker. */
export async function opening<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = new Opened()
  try {
    return await work(opened)
  } catch (error) {
    await opened.close()
    const { code, port } = error as { readonly code?: string; readonly port?: number }
    throw code === 'EADDRINUSE' ? new Error(`port ${port} is in use; choose another one with --port`) : error
  }
}
