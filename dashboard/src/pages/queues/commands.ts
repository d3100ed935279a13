/**
 * Commands on a queue, each with its confirmation dialog. They return whether the command was carried out.
 */
import { call } from '../../api/call.js'
import { confirm } from '../../ui/confirm.jsx'
import { act } from '../../ui/toast.jsx'

export async function pauseQueue(name: string): Promise<boolean> {
  const yes = await confirm({
    title: `Pause ${name}?`,
    body: 'No more of its jobs are claimed until it is resumed. Running jobs continue, new jobs are accepted.',
    action: 'Pause queue',
    reason: 'required',
  })
  if (yes === null) return false
  const done = await act(`Queue ${name} paused`, () =>
    call('POST /api/v1/queues/{name}/pause', { params: { name }, body: yes.body }),
  )
  return done !== undefined
}

export async function resumeQueue(name: string): Promise<boolean> {
  const done = await act(`Queue ${name} resumed`, () =>
    call('POST /api/v1/queues/{name}/resume', { params: { name } }),
  )
  return done !== undefined
}
