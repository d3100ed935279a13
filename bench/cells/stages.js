// Where the time of a drain goes, stage by stage.
import { beside } from '../cell.js'
import { HOLDFAST } from '../contenders.js'
import { median } from '../holds.js'
import { launchOurs } from '../launch.js'

export const ids = ['stages']

export async function run(env) {
  const { batch, costJobs: jobs } = env.sizes
  const { plan, leave } = await HOLDFAST.place(env)
  try {
    await launchOurs({ ...plan, steps: [{ op: 'prepare' }, { op: 'bulk', jobs, batch: 1_000, parallel: 2 }] })
    await env.server.checkpoint()
    const [{ stages }] = await launchOurs({ ...plan, steps: [{ op: 'stages', jobs, batch }] })
    const note = `one lane, batches of ${batch}, the median of ${jobs / 2 / batch} of them`
    return {
      cells: [],
      beside: Object.entries(stages).flatMap(([stage, spent]) =>
        ['client', 'server'].map((side) =>
          beside(env, {
            id: `${stage}_${side}`,
            what: `CPU of the ${side} for a ${stage.replace('_', ' ')}, per job`,
            unit: 'µs',
            value: median(spent[side]),
            note,
          }),
        ),
      ),
    }
  } finally {
    await leave()
  }
}
