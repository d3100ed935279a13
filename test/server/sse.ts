/** A client of the event stream on a socket of its own, which can also stop reading. */
import { type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Heard {
  readonly id: string | undefined
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
  readonly data: any
}

export class Stream {
  readonly heard: Heard[] = []
  /** As a browser keeps it: also moved on by messages that are no event. */
  lastId: string | undefined
  /** Lines that are no event: they only say that somebody is there. */
  comments = 0
  ended = false
  #rest = ''
  #wake = () => {}

  private constructor(readonly answer: IncomingMessage) {
    answer.setEncoding('utf8')
    answer.on('data', (text: string) => this.#take(text))
    for (const end of ['end', 'close', 'error'])
      answer.on(end, () => {
        this.ended = true
        this.#wake()
      })
  }

  static open(
    url: string,
    {
      after,
      key,
      path = '/api/v1/events',
      headers: more = {},
    }: { after?: string | undefined; key?: string; path?: string; headers?: Record<string, string> } = {},
  ): Promise<Stream> {
    const headers = {
      ...more,
      accept: 'text/event-stream',
      ...(after === undefined ? {} : { 'last-event-id': after }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    }
    return new Promise((resolve, reject) => {
      const asked = request(`${url}${path}`, { headers, agent: false }, (answer) => {
        if (answer.statusCode === 200) resolve(new Stream(answer))
        else reject(new Error(`the server answered ${answer.statusCode}`))
      })
      onTestFinished(() => void asked.destroy())
      asked.on('error', reject)
      asked.end()
    })
  }

  /** The jobs of everything heard so far, in order. */
  get jobs(): number[] {
    return this.heard.flatMap(({ data }) => data.job_ids ?? [])
  }

  /** Resolves when it is so; fails when the stream ends before. */
  async until(isSo: (stream: this) => boolean): Promise<void> {
    while (!isSo(this)) {
      if (this.ended) throw new Error(`the stream ended after ${JSON.stringify(this.heard.slice(-2))}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Connected, and the server knows from where on it follows. */
  async settled(): Promise<this> {
    await this.until(({ lastId }) => lastId !== undefined)
    return this
  }

  async end(): Promise<void> {
    while (!this.ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
  }

  close(): void {
    this.answer.destroy()
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line): [string, string] => {
          const colon = line.indexOf(': ')
          return [line.slice(0, colon), line.slice(colon + 2)]
        }),
      )
      this.lastId = fields.get('id') ?? this.lastId
      if (block.includes(': here')) this.comments += 1
      const data = fields.get('data')
      if (data === undefined) continue
      this.heard.push({ id: fields.get('id'), event: fields.get('event') ?? '', data: JSON.parse(data) })
    }
    this.#wake()
  }
}
