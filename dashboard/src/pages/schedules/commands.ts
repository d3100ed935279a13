/**
 * Commands on a schedule, each with its confirmation dialog. They return whether the command was carried out.
 */
import { call } from '../../api/call.js'
import { go } from '../../state/url.js'
import { confirm } from '../../ui/confirm.jsx'
import { act, toast } from '../../ui/toast.jsx'

export async function pauseSchedule(name: string): Promise<boolean> {
  const yes = await confirm({
    title: `Pause ${name}?`,
    body: 'No slot fires until it is resumed. The note is shown to everyone who opens it.',
    action: 'Pause schedule',
    reason: 'required',
  })
  if (yes === null) return false
  const done = await act(`Schedule ${name} paused`, () =>
    call('POST /api/v1/schedules/{name}/pause', { params: { name }, body: yes.body }),
  )
  return done !== undefined
}

export async function resumeSchedule(name: string): Promise<boolean> {
  const done = await act(`Schedule ${name} resumed`, () =>
    call('POST /api/v1/schedules/{name}/resume', { params: { name } }),
  )
  return done !== undefined
}

export async function runSchedule(name: string): Promise<boolean> {
  const yes = await confirm({
    title: `Run ${name} now?`,
    body: 'Its job is enqueued at once. The next slot does not change.',
    action: 'Run now',
  })
  if (yes === null) return false
  try {
    const { job_id: id, deduplicated } = await call('POST /api/v1/schedules/{name}/run', {
      params: { name },
      body: yes.body,
    })
    toast(deduplicated ? `Job #${id} is live already; none was created` : `Job #${id} enqueued`, {
      action: { label: 'Open job', run: () => go({ page: 'job', id }) },
    })
    return true
  } catch (error) {
    await act('', () => Promise.reject(error))
    return false
  }
}

export async function resetSchedule(name: string): Promise<boolean> {
  const yes = await confirm({
    title: `Reset ${name}?`,
    body: 'Every field becomes what its program declares.',
    action: 'Reset schedule',
  })
  if (yes === null) return false
  const done = await act(`Schedule ${name} reset`, () =>
    call('POST /api/v1/schedules/{name}/reset', { params: { name }, body: yes.body }),
  )
  return done !== undefined
}

export async function deleteSchedule(name: string): Promise<boolean> {
  const yes = await confirm({
    title: `Delete ${name}?`,
    body: 'Its firings are deleted with it. Jobs that it created stay.',
    action: 'Delete schedule',
    danger: true,
  })
  if (yes === null) return false
  let deleted = false
  await act(`Schedule ${name} deleted`, async () => {
    await call('DELETE /api/v1/schedules/{name}', { params: { name }, body: yes.body })
    deleted = true
  })
  return deleted
}
