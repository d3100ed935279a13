import { toWire } from '../../contract/case.js'
import { subjectsContract } from '../../contract/subjects.js'
import { holdfastError } from '../../domain/errors.js'
import { given } from '../../domain/given.js'
import type { Subject } from '../../store/subjects.js'
import { numberFrom, tokenOf } from '../page-token.js'
import type { Redact } from '../redact.js'
import { type Call, routes } from '../route.js'

type View = (typeof subjectsContract)['getSubject']['response'][200]['_zod']['input']

function viewOf(subject: Subject, redact: Redact): View {
  return { ...toWire<View>(subject), input: redact(subject.input) }
}

/** What belongs to another tenant is not there. */
async function own({ store, tenant }: Pick<Call, 'store' | 'tenant'>, id: number): Promise<Subject> {
  const subject = await store.subjects.get(id)
  if (subject.tenant !== tenant) throw holdfastError('unknown_subject', { subject: id })
  return subject
}

export const subjectRoutes = routes<typeof subjectsContract>(subjectsContract, {
  listSubjects: async ({ store, tenant, query, server }) => {
    const { queue, name, stale, page_size: limit, page_token } = query
    // A misspelt name must not become an empty list that looks like an answer.
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
    body: viewOf(await own(call, call.params.id), call.server.redact),
  }),

  setSubject: async (call) => {
    const { store, act, params, body } = call
    await own(call, params.id)
    await store.subjects.set(params.id, {
      ...given({ staleAfterMs: body.stale_after_ms, enabled: body.enabled }),
      ...act,
    })
    return { status: 200, body: viewOf(await own(call, params.id), call.server.redact) }
  },

  removeSubject: async (call) => {
    await own(call, call.params.id)
    await call.store.subjects.remove(call.params.id, call.act)
    return { status: 204, body: undefined }
  },
})
