/** Operators: commands on one job, fitting its state or not, and the flags of queues. */
import fc from 'fast-check'
import { OPERATOR_MOVES, OPERATOR_VERBS, type OperatorVerb } from '../../src/domain/states/operator.js'
import { given } from '../../src/json/given.js'
import { PRESET_NAMES } from '../../src/presets/presets.js'
import {
  answerOf,
  type CommandArbitrary,
  command,
  expectAnswer,
  hasJob,
  pickArbitrary,
  pickJob,
  type Real,
  sometimes,
} from './command.js'
import { isLiveJob, isRunning, type ModelJob } from './model.js'
import { forceFinish, operate, setPriority } from './operator.js'

const WEIGHTS: Record<OperatorVerb, number> = {
  publish: 2,
  cancel: 3,
  retry: 3,
  resume: 3,
  skip: 1,
  discard: 1,
}

function send(
  { store }: Real,
  verb: OperatorVerb,
  jobId: number,
  reason: string | undefined,
): Promise<unknown> {
  const act = { actor: 'someone', ...given({ reason }) }
  return verb === 'publish' ? store.publish(jobId, act) : store.commands[verb](jobId, act)
}

/** Jobs the verb does something to; a cancel also asks running ones to stop. */
function fits(verb: OperatorVerb): (job: ModelJob) => boolean {
  const states = new Set<string>(OPERATOR_MOVES.filter((row) => row.verb === verb).map(({ from }) => from))
  return (job) => states.has(job.state) || (verb === 'cancel' && isRunning(job))
}

const verbs = OPERATOR_VERBS.flatMap((verb) =>
  command({
    name: verb,
    weight: WEIGHTS[verb],
    args: fc.record({ pick: pickArbitrary, reason: sometimes(fc.constant('a wish'), 2) }),
    fits: (model, { pick }) => hasJob(model, pick, fits(verb)),
    async run(model, real, { pick, reason }) {
      const jobId = pickJob(model, pick, fits(verb))
      const answer = await answerOf(real, `${verb} ${jobId}${reason ? ` (${reason})` : ''}`, () =>
        send(real, verb, jobId, reason),
      )
      const newId = 'ok' in answer ? (answer.ok as { jobId?: number }).jobId : undefined
      expectAnswer(answer, operate(model, verb, jobId, reason, newId ?? 0))
    },
  }),
)

const forced = command({
  name: 'force_finish',
  weight: 2,
  args: fc.record({
    pick: pickArbitrary,
    outcome: fc.constantFrom('succeeded' as const, 'failed' as const),
    reason: sometimes(fc.constant('a wish'), 2),
  }),
  fits: (model, { pick }) => hasJob(model, pick, isRunning),
  async run(model, real, { pick, outcome, reason }) {
    const jobId = pickJob(model, pick, isRunning)
    const answer = await answerOf(real, `force_finish ${jobId} as ${outcome}`, () =>
      real.store.commands.forceFinish(jobId, outcome, given({ reason })),
    )
    expectAnswer(answer, forceFinish(model, jobId, outcome, reason))
  },
})

const priorities = [
  ...command({
    name: 'boost',
    weight: 1,
    args: fc.record({ pick: pickArbitrary, by: fc.constantFrom(1, 40, 100) }),
    fits: (model, { pick }) => hasJob(model, pick, isLiveJob),
    async run(model, real, { pick, by }) {
      const jobId = pickJob(model, pick, isLiveJob)
      const answer = await answerOf(real, `boost ${jobId} by ${by}`, () =>
        real.store.commands.boost(jobId, by),
      )
      expectAnswer(
        answer,
        setPriority(model, jobId, (old) => Math.min(100, old + by)),
      )
    },
  }),
  ...command({
    name: 'set_priority',
    weight: 1,
    args: fc.record({ pick: pickArbitrary, priority: fc.constantFrom(0, 30, 100) }),
    fits: (model, { pick }) => hasJob(model, pick, isLiveJob),
    async run(model, real, { pick, priority }) {
      const jobId = pickJob(model, pick, isLiveJob)
      const answer = await answerOf(real, `set_priority ${jobId} to ${priority}`, async () => {
        await real.store.commands.setPriority(jobId, priority)
        return priority
      })
      expectAnswer(
        answer,
        setPriority(model, jobId, () => priority),
      )
    },
  }),
]

const flags = [
  ...command({
    name: 'pause_queue',
    weight: 1,
    args: fc.constantFrom(...PRESET_NAMES),
    async run(model, real, queue) {
      const answer = await answerOf(real, `pause_queue ${queue}`, () => real.store.queues.pause(queue))
      expectAnswer(answer, { ok: !model.paused.has(queue) })
      model.paused.add(queue)
    },
  }),
  ...command({
    name: 'resume_queue',
    weight: 2,
    args: fc.nat(9),
    async run(model, real, n) {
      // One that is paused, if there is any: else most of a sequence would find its queues closed.
      const paused = [...model.paused]
      const queue =
        paused[n % Math.max(1, paused.length)] ?? PRESET_NAMES[n % PRESET_NAMES.length] ?? 'default'
      const answer = await answerOf(real, `resume_queue ${queue}`, () => real.store.queues.resume(queue))
      expectAnswer(answer, { ok: model.paused.delete(queue) })
    },
  }),
]

export const OPERATE_COMMANDS: CommandArbitrary[] = [...verbs, ...forced, ...priorities, ...flags]
