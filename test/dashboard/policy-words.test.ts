/** The policy of a queue in words. */
import { expect, it } from 'vitest'
import {
  policyInWords,
  type QueuePolicy,
  rateInWords,
} from '../../dashboard/src/pages/queues/policy-words.js'
import { toWire } from '../../src/contract/case.js'
import { DEFAULT_POLICY, type Policy } from '../../src/domain/policy.js'
import { PRESETS } from '../../src/presets/presets.js'

const wire = (policy: Partial<Policy>) => toWire<QueuePolicy>({ ...DEFAULT_POLICY, ...policy })
const words = (policy: Partial<Policy>) => Object.fromEntries(policyInWords(wire(policy)))

it.each(Object.entries(PRESETS))('the preset %s has a sentence for each subject', (_name, policy) => {
  for (const [subject, sentence] of policyInWords(toWire<QueuePolicy>(policy)))
    expect(sentence, subject).toMatch(/^[A-Z0-9].*[^ ]\.$/)
})

it('sentences name the numbers of the policy', () => {
  expect(words({})).toMatchObject({
    Retries: 'Up to 4 retries: the first after 5 s, then 2 times as long each time, 1 h at most.',
    Limits: 'None: as many as the workers have slots.',
    Retention: 'Ended jobs are stored for 7 d.',
  })
  expect(words({ maxRetries: 0, maxRunning: 1, onLeaseLost: 'error', retentionMs: null })).toMatchObject({
    Retries: 'A failed job is not retried.',
    Limits: '1 job at a time over all workers.',
    'Lost lease': 'A person decides what happens to the job.',
    Retention: 'Ended jobs are stored as long as the setting says.',
  })
  expect(words({ strict: true }).Strict).toContain('stays ended')
})

it('a rate has its period, its key and its bursts', () => {
  expect(rateInWords(wire({}))).toBeNull()
  expect(rateInWords(wire({ rateLimit: 100 }))).toBe('100 starts per 1 s')
  expect(rateInWords(wire({ rateLimit: 1, ratePeriodMs: 60_000, rateBurst: 5, ratePerKey: true }))).toBe(
    '1 start per 60 s for each key, in bursts of 5',
  )
})
