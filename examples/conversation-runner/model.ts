/**
 * A model server on this machine, in the shape most of them have: POST /v1/chat/completions with messages, answered with a reply and the
 * tokens it took. The same messages always get the same reply, so a turn that runs twice writes the same transcript.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

interface Completion {
  readonly reply: string
  readonly tokens: number
}

interface Model {
  readonly url: string
  stop(): Promise<void>
}

const VOCABULARY =
  'anchor bay chart dock ebb ferry gale harbor island jetty keel lagoon mast north oar pier quay reef sail tide'.split(
    ' ',
  )
const REPLY_WORDS = 8
/** A prompt with "in detail" gets a reply this long: more tokens than some turns may use. */
const DETAILED_WORDS = 200
const BODY_BYTES_MAX = 1024 * 1024

interface ModelOptions {
  readonly replyMs: number
  /** A reply is held back until this resolves for its prompt. */
  until(prompt: string): Promise<void>
}

export async function startModel(options: ModelOptions): Promise<Model> {
  const server = createServer((request, response) => void answer(options, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  { replyMs, until }: ModelOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
    return void reply(404, { error: { message: 'there is POST /v1/chat/completions' } })
  const messages = await messagesOf(request)
  if (messages === undefined)
    return void reply(400, { error: { message: 'send { "messages": [{ "role", "content" }] }' } })
  const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  await wait(replyMs)
  await until(prompt)
  const content = replyTo(messages, prompt.includes('in detail') ? DETAILED_WORDS : REPLY_WORDS)
  const promptTokens = messages.reduce((sum, message) => sum + wordsIn(message.content), 0)
  const completionTokens = wordsIn(content)
  reply(200, {
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  })
}

async function messagesOf(request: IncomingMessage): Promise<Message[] | undefined> {
  try {
    let text = ''
    for await (const chunk of request) {
      text += chunk
      if (text.length > BODY_BYTES_MAX) return undefined
    }
    const { messages } = JSON.parse(text) as { messages?: Message[] }
    const isText = (each: Message) => typeof each?.content === 'string'
    return Array.isArray(messages) && messages.length > 0 && messages.every(isText) ? messages : undefined
  } catch {
    return undefined
  }
}

/** Words picked by the hash of the whole conversation. */
function replyTo(messages: readonly Message[], count: number): string {
  const hash = createHash('sha256').update(JSON.stringify(messages)).digest()
  const pick = (n: number) => VOCABULARY[((hash[n % hash.length] ?? 0) + n) % VOCABULARY.length]
  return Array.from({ length: count }, (_none, n) => pick(n)).join(' ')
}

const wordsIn = (text: string) => text.split(/\s+/).filter((part) => part !== '').length

/** Asks the model, for the turns. */
export async function complete(
  url: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Completion> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'harbor-1', messages }),
    signal,
  })
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`)
  const { choices, usage } = (await response.json()) as {
    choices: { message: Message }[]
    usage: { total_tokens: number }
  }
  return { reply: choices[0]?.message.content ?? '', tokens: usage.total_tokens }
}
