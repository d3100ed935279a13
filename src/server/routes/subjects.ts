/** Subjects: what is worked on repeatedly, and when it is stale. */
import { toWire } from '../../contract/case.js'
import { subjectsContract } from '../../contract/subjects.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { given } from '../../json/given.js'
import type { Subject } from '../../store/subjects.js'
import type { Redact } from '../access/redact.js'
import { numberFrom, tokenOf } from '../http/page-token.js'
import { type Call, routes } from '../http/route.js'

type SubjectView = (typeof subjectsContract)['getSubject']['response'][200]['_zod']['input']

function viewOf(subject: Subject, redact: Redact): SubjectView {
  return { ...toWire<SubjectView>(subject), input: redact(subject.input) }
}

/** A subject of the caller's tenant; others are unknown. */
async function ownSubject({ store, tenant }: Pick<Call, 'store' | 'tenant'>, id: number): Promise<Subject> {
  const subject = await store.subjects.get(id)
  if (subject.tenant !== tenant) throw holdfastError('unknown_subject', { subject: id })
  return subject
}

export const subjectRoutes = routes<typeof subjectsContract>(subjectsContract, {
  listSubjects: async ({ store, tenant, query, server }) => {
    const { queue, name, stale, page_size: limit, page_token } = query
    // An unknown queue is an error, not an empty list.
    if (queue !== undefined) await store.queues.get(queue, { tenant })
    const found = await store.subjects.list({
      tenant,
      ...given({ queue, name }),
      stale: stale === 'true',
      afterId: numberFrom(page_token) ?? 0,
      limit,
    })
    const last = found.length === limit ? found.at(-1) : undefined
    return {
      status: 200,
      body: {
        subjects: found.map((subject) => viewOf(subject, server.redact)),
        next_page_token: last === undefined ? null : tokenOf(last.id),
      },
    }
  },

  addSubject: async ({ store, tenant, act, body, server }) => {
    const { queue, name, kind, input, priority, stale_after_ms: staleAfterMs = null } = body
    await server.intake.admitInput(tenant, input)
    const id = await store.subjects.add({ queue, name, kind, input, priority, staleAfterMs, tenant, ...act })
    return { status: 201, body: viewOf(await store.subjects.get(id), server.redact) }
  },

  getSubject: async (call) => ({
    status: 200,
    body: viewOf(await ownSubject(call, call.params.id), call.server.redact),
  }),

  setSubject: async (call) => {
    const { store, act, params, body } = call
    await ownSubject(call, params.id)
    await store.subjects.set(params.id, {
      ...given({ staleAfterMs: body.stale_after_ms, enabled: body.enabled }),
      ...act,
    })
    return { status: 200, body: viewOf(await ownSubject(call, params.id), call.server.redact) }
  },

  removeSubject: async (call) => {
    await ownSubject(call, call.params.id)
    await call.store.subjects.remove(call.params.id, call.act)
    return { status: 204, body: undefined }
  },
})
