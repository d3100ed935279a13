import { describe, expect, it } from 'vitest'
import type { Policy } from '../../src/domain/policy.js'
import { parsePolicy } from '../../src/domain/policy-check.js'
import { checkSetting, resolvePolicy, SETTINGS_DEFAULTS } from '../../src/domain/settings.js'
import { PRESET_NAMES, PRESETS, type PresetName, parsePreset } from '../../src/presets/presets.js'
import { refusal } from '../support/refusal.js'

describe('presets', () => {
  // name, order, retries, base s, cap s, jitter, lease s, beat s, renewed by
  it.each<[PresetName, string, number, number, number, number, number, number, number | null, string]>([
    ['harvest', 'fifo', 4, 30, 3600, 0, 0.2, 60, null, 'report'],
    ['crawl', 'priority', 3, 60, 86_400, -0.2, 0.2, 900, null, 'report'],
    ['pipeline', 'fifo', 3, 30, 3600, -0.2, 0.2, 600, null, 'nothing'],
    ['target', 'fifo', 0, 0, 0, 0, 0, 10, 2, 'heartbeat'],
    ['catalog', 'global_fifo', 3, 1, 60, -0.2, 0.2, 30, 10, 'heartbeat'],
    ['default', 'priority', 4, 5, 3600, -0.2, 0.2, 30, 10, 'heartbeat'],
  ])('%s: order, retries, lease', (name, order, retries, base, cap, low, high, lease, beat, renewedBy) => {
    expect(resolvePolicy(PRESETS[name])).toMatchObject({
      order,
      maxRetries: retries,
      retryBaseMs: base * 1000,
      retryFactor: 2,
      retryCapMs: cap * 1000,
      jitterLow: low,
      jitterHigh: high,
      leaseMs: lease * 1000,
      heartbeatMs: beat === null ? null : beat * 1000,
      renewedBy,
      crashBudget: name === 'harvest' ? null : 3,
      dedup: 'return_existing',
      timeoutMs: null,
    })
  })

  it.each<[PresetName, string, string, string, boolean, string, boolean, string | null]>([
    ['harvest', 'count', 'cancel', 'release', false, 'continue', false, 'phone'],
    ['crawl', 'retry', 'cancel', 'release', false, 'continue', false, null],
    ['pipeline', 'retry', 'cancel', 'release', false, 'continue', true, null],
    ['target', 'error', 'pause', 'pause', true, 'block', false, null],
    ['catalog', 'retry', 'cancel', 'release', false, 'continue', false, null],
    ['default', 'retry', 'cancel', 'release', true, 'continue', false, null],
  ])(
    '%s: what happens on loss, cancel, shutdown and error',
    (name, lost, cancel, shutdown, serial, error, strict, key) => {
      expect(PRESETS[name]).toMatchObject({
        onLeaseLost: lost,
        onCancel: cancel,
        onShutdown: shutdown,
        serializeTargets: serial,
        onError: error,
        strict,
        itemsKey: key,
      })
    },
  )

  it('are all valid policies', () => {
    for (const name of PRESET_NAMES) expect(parsePolicy(PRESETS[name], PRESETS[name])).toEqual(PRESETS[name])
  })
})

describe('settings', () => {
  it('fill what the policy leaves open, at the moment they are read', () => {
    const settings = {
      LEASE_SEC_DEFAULT: 90,
      BACKOFF_BASE_SEC: 1,
      BACKOFF_MAX_SEC: 10,
      MAX_ATTEMPTS_DEFAULT: 2,
    }
    expect(resolvePolicy(PRESETS.harvest, settings)).toMatchObject({
      leaseMs: 90_000,
      retryBaseMs: 1000,
      retryCapMs: 10_000,
      maxRetries: 1,
    })
    expect(resolvePolicy(PRESETS.crawl, settings)).toMatchObject({ leaseMs: 900_000, maxRetries: 3 })
  })

  it("the job's own number of retries wins, 0 included", () => {
    expect(resolvePolicy(PRESETS.crawl, SETTINGS_DEFAULTS, { maxRetries: 0 }).maxRetries).toBe(0)
    expect(resolvePolicy(PRESETS.crawl, SETTINGS_DEFAULTS, { maxRetries: null }).maxRetries).toBe(3)
  })

  it('a shortened lease shortens the heartbeat with it', () => {
    const policy: Policy = { ...PRESETS.default, leaseMs: null }
    expect(resolvePolicy(policy, { ...SETTINGS_DEFAULTS, LEASE_SEC_DEFAULT: 4 }).heartbeatMs).toBe(2000)
  })

  it.each([
    ['LEASE_SEC_DEFAULT', 1, 86_400],
    ['BACKOFF_BASE_SEC', 0, 86_400],
    ['BACKOFF_MAX_SEC', 0, 2_592_000],
    ['MAX_ATTEMPTS_DEFAULT', 1, 1001],
  ])('%s takes %i to %i', (name, min, max) => {
    expect(checkSetting(name, min).value).toBe(min)
    expect(checkSetting(name, max).value).toBe(max)
    for (const wrong of [min - 1, max + 1, 1.5, '5', null, Number.NaN]) {
      expect(refusal(() => checkSetting(name, wrong)).code).toBe('invalid_input')
    }
  })

  it('refuses an unknown name and offers the nearest', () => {
    expect(refusal(() => checkSetting('LEASE_SECS_DEFAULT', 5)).message).toContain(
      'Did you mean "LEASE_SEC_DEFAULT"?',
    )
    expect(refusal(() => checkSetting('toString', 5)).remedy).toContain('holdfast settings list')
  })
})

describe('parsePolicy', () => {
  it('lays the overrides over the base and leaves undefined ones alone', () => {
    const policy = parsePolicy({ maxRetries: 7, strict: undefined }, PRESETS.crawl)
    expect(policy).toEqual({ ...PRESETS.crawl, maxRetries: 7 })
  })

  it('refuses an unknown name and offers the nearest', () => {
    const error = refusal(() => parsePolicy({ maxRetry: 3 }))
    expect(error.details.path).toBe('/policy/maxRetry')
    expect(error.message).toContain('Did you mean "maxRetries"?')
    expect(refusal(() => parsePolicy({ constructor: 3 })).code).toBe('invalid_input')
  })

  it.each<[keyof Policy, unknown[]]>([
    ['order', ['lifo', null, 1]],
    ['maxRetries', [-1, 1001, 1.5, '3', Number.NaN]],
    ['retryBaseMs', [-1, Infinity, '1']],
    ['retryFactor', [0.9, 101, null, Number.NaN]],
    ['retryCapMs', [-1, Infinity]],
    ['jitterLow', [-1.1, null]],
    ['jitterHigh', [1.1, null]],
    ['leaseMs', [999, 86_400_001, 1000.5]],
    ['heartbeatMs', [99, '1']],
    ['renewedBy', ['beat', null]],
    ['onLeaseLost', ['fail']],
    ['crashBudget', [0, 1001, 1.5]],
    ['onCancel', ['stop']],
    ['onShutdown', ['cancel']],
    ['serializeTargets', [1, 'true', null]],
    ['onError', ['ignore']],
    ['dedup', ['ignore']],
    ['strict', ['no', null]],
    ['timeoutMs', [0, 604_800_001]],
    ['itemsKey', ['', 5, 'x'.repeat(101)]],
  ])('refuses a wrong %s and says what would be right', (name, wrongs) => {
    for (const wrong of wrongs) {
      const error = refusal(() => parsePolicy({ [name]: wrong }))
      expect(error.details.path).toBe(`/policy/${name}`)
      expect(error.message).toContain('must be')
    }
  })

  it('takes every bound itself', () => {
    expect(parsePolicy({ maxRetries: 0 }).maxRetries).toBe(0)
    expect(parsePolicy({ maxRetries: 1000, crashBudget: null, timeoutMs: 1 }).crashBudget).toBeNull()
    expect(parsePolicy({ leaseMs: 1000 }).leaseMs).toBe(1000)
    expect(parsePolicy({ leaseMs: 86_400_000 }).leaseMs).toBe(86_400_000)
  })

  it('fits the heartbeat to a changed lease', () => {
    expect(parsePolicy({ leaseMs: 3000 }).heartbeatMs).toBe(1000)
    expect(parsePolicy({ leaseMs: 600_000 }).heartbeatMs).toBe(10_000)
    expect(parsePolicy({ renewedBy: 'report' }).heartbeatMs).toBeNull()
    expect(parsePolicy({ renewedBy: 'heartbeat' }, PRESETS.harvest).heartbeatMs).toBe(20_000)
  })

  it.each([
    [{ jitterLow: 0.3 }, '/policy/jitterLow'],
    [{ retryBaseMs: 3_600_001 }, '/policy/retryBaseMs'],
    [{ heartbeatMs: null }, '/policy/heartbeatMs'],
    [{ renewedBy: 'report', heartbeatMs: 1000 }, '/policy/heartbeatMs'],
    [{ heartbeatMs: 15_001 }, '/policy/heartbeatMs'],
    [{ strict: true, dedup: 'replace' }, '/policy/dedup'],
    [null, '/policy'],
    [[], '/policy'],
    ['crawl', '/policy'],
  ])('names the contradiction in %j', (overrides, path) => {
    expect(refusal(() => parsePolicy(overrides)).details.path).toBe(path)
  })

  it('knows the presets and offers the nearest', () => {
    expect(parsePreset('crawl')).toBe('crawl')
    expect(refusal(() => parsePreset('craw')).message).toContain('Did you mean "crawl"?')
    expect(refusal(() => parsePreset(7)).message).toContain('pipeline')
  })
})
