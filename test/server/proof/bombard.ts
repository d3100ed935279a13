/** Sends malformed requests to a server that listens, many at once, and keeps what came of them. */
import { Agent, request } from 'node:http'
import type { Route } from 'holdfast/server'
import { Random } from '../../chaos/random.js'
import type { Subject } from '../samples.js'
import { type Field, fieldsOf, nameOf } from './fields.js'
import { type Attack, attackOn } from './malformed.js'

export interface Target {
  readonly url: string
  readonly key: string
  readonly subject: Subject
}

/** Where a request was refused: before its route and its caller were known, when its body was read, or by the contract. */
export type Stage = 'door' | 'body' | 'contract'

export interface Outcome {
  malformed: number
  allowed: number
  byStage: Record<Stage, number>
  byStatus: Record<string, number>
  /** Refused, and the answer names the field or what it stands in. */
  named: number
  /** Fields, and how often each was attacked by a malformed request. */
  readonly fields: Map<string, number>
  /** What must not be: the request and its answer. */
  readonly wrong: string[]
}

export interface Plan {
  readonly routes: readonly Route[]
  readonly seed: number
  /** Malformed ones; what the contract lets through comes on top. */
  readonly count: number
  readonly atOnce: number
  /** After each malformed request. */
  sent?(count: number): Promise<void>
}

/** Requests that are about the whole are few, because most of them end at the door. */
const WHOLE_SHARE = 0.05
const WRONG_MAX = 50

export async function bombard(target: Target, plan: Plan): Promise<Outcome> {
  const random = new Random(plan.seed)
  const all = plan.routes.flatMap(fieldsOf)
  const of = new Map(plan.routes.map((route) => [route, all.filter((field) => field.route === route)]))
  const parts = turns(all.filter(({ where }) => where !== 'request'))
  const wholes = turns(all.filter(({ where }) => where === 'request'))
  const outcome: Outcome = {
    malformed: 0,
    allowed: 0,
    byStage: { door: 0, body: 0, contract: 0 },
    byStatus: {},
    named: 0,
    fields: new Map(all.map((field) => [nameOf(field), 0])),
    wrong: [],
  }
  const agent = new Agent({ keepAlive: true, maxSockets: plan.atOnce })
  const next = (): Attack | undefined => {
    const field = random.chance(WHOLE_SHARE) ? wholes() : parts()
    return attackOn(field, of.get(field.route) as Field[], target.subject, random)
  }
  const worker = async () => {
    while (outcome.malformed < plan.count) {
      const attack = next()
      if (attack === undefined) continue
      // Before the answer, so that together they send as many as were asked for.
      if (attack.malformed) outcome.malformed += 1
      else outcome.allowed += 1
      const count = outcome.malformed
      judge(attack, await send(target, attack, agent), outcome)
      if (attack.malformed) await plan.sent?.(count)
    }
  }
  await Promise.all(Array.from({ length: plan.atOnce }, worker))
  agent.destroy()
  return outcome
}

/** Each in turn, again and again. */
function turns<T>(list: readonly T[]): () => T {
  let n = 0
  return () => list[n++ % list.length] as T
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

const PATIENCE_MS = 20_000

function send({ url, key }: Target, attack: Attack, agent: Agent): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...attack.headers,
    ...(attack.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(attack.body)) }),
  }
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const asked = request(
      // As it is written: what a URL would make of it might be another address.
      { hostname, port, path: attack.url, method: attack.method, headers, agent, timeout: PATIENCE_MS },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (piece: string) => {
          if (text.length < 100_000) text += piece
        })
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text }),
        )
        answer.on('error', (error) => resolve({ status: 0, type: '', text: error.message }))
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.on('error', (error) => resolve({ status: 0, type: '', text: error.message }))
    asked.end(attack.body)
  })
}

interface Refusal {
  readonly code?: string
  readonly remedy?: string
  readonly errors?: readonly { in: string; pointer: string; problem: string }[]
}

const PLACE_IN_CODE = /node_modules|\.[jt]s:\d+/

/** What is wrong with the answer; undefined where it is right. */
function complaintOf({ field, malformed }: Attack, { status, type, text }: Answer): string | undefined {
  if (status === 0 || status >= 500) return `an error of ours (${nameOf(field)})`
  if (status < 400) return malformed ? `malformed, and not refused (${nameOf(field)})` : undefined
  if (!type.startsWith('application/problem+json')) return 'a refusal that is no problem+json'
  if (!(JSON.parse(text) as Refusal).remedy) return 'a refusal without a remedy'
  return PLACE_IN_CODE.test(text) ? 'a refusal that tells a place in our code' : undefined
}

function judge(attack: Attack, answer: Answer, outcome: Outcome): void {
  const { field, malformed, method, url, body = '' } = attack
  const { status, text } = answer
  const complaint = complaintOf(attack, answer)
  if (complaint !== undefined && outcome.wrong.length < WRONG_MAX) {
    const said = `${method} ${url.slice(0, 300)} ${String(body).slice(0, 300)}`
    outcome.wrong.push(`${complaint}: ${said} → ${status} ${text.slice(0, 300)}`)
  }
  if (!malformed) return
  outcome.byStatus[status] = (outcome.byStatus[status] ?? 0) + 1
  if (complaint !== undefined) return
  const refusal = JSON.parse(text) as Refusal
  const name = nameOf(field)
  outcome.byStage[stageOf(refusal)] += 1
  outcome.fields.set(name, (outcome.fields.get(name) ?? 0) + 1)
  if (isNamed(field, refusal)) outcome.named += 1
}

const AT_THE_DOOR = new Set([
  'unauthorized',
  'scope_missing',
  'wrong_tenant',
  'wrong_host',
  'cross_site',
  'unknown_route',
  'method_not_allowed',
  'malformed_request',
  'headers_too_large',
  'request_timeout',
])
const UNREADABLE = /^(must be JSON|must be UTF-8|the key "__proto__"|a whole number is too large)/

function stageOf({ code = '', errors = [] }: Refusal): Stage {
  const [first] = errors
  if (AT_THE_DOOR.has(code) || first?.pointer === '/holdfast-tenant') return 'door'
  const isUnread = code === 'unsupported_media_type' || (code === 'payload_too_large' && first === undefined)
  return isUnread || UNREADABLE.test(first?.problem ?? '') ? 'body' : 'contract'
}

function isNamed({ where, path }: Field, { errors = [] }: Refusal): boolean {
  if (where === 'request') return false
  const pointer = `/${path.join('/')}`
  return errors.some(
    (each) => each.in === where && (pointer.startsWith(each.pointer) || each.pointer.startsWith(pointer)),
  )
}
