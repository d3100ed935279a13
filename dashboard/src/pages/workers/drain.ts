/** Drains a worker, after a confirmation. */
import { call } from '../../api/call.js'
import { confirm } from '../../ui/confirm.jsx'
import { count } from '../../ui/format.js'
import { act } from '../../ui/toast.jsx'
import type { Worker } from './columns.jsx'

/** Answers whether the worker was asked to drain. */
export async function drainWorker({ worker: name, busy }: Pick<Worker, 'worker' | 'busy'>): Promise<boolean> {
  const yes = await confirm({
    title: `Drain ${name}?`,
    body: `It claims no more jobs, finishes its ${count(busy, 'running job')} and stops. Nothing starts it again.`,
    action: 'Drain worker',
    danger: true,
  })
  if (yes === null) return false
  const done = await act(`Worker ${name} drains`, () =>
    call('POST /api/v1/workers/{name}/drain', { params: { name }, body: yes.body }),
  )
  return done !== undefined
}
