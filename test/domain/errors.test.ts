import { describe, expect, it } from 'vitest'
import {
  ERRORS,
  type ErrorCode,
  HoldfastError,
  holdfastError,
  isErrorCode,
  LeaseLost,
} from '../../src/domain/errors/errors.js'
import { nearest, suggestion } from '../../src/domain/nearest.js'

const codes = Object.keys(ERRORS) as ErrorCode[]

describe('errors', () => {
  it.each(codes)('%s reads as a sentence, with and without details, and says what to do', (code) => {
    const names = [...ERRORS[code].message.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
    const full = holdfastError(code, Object.fromEntries(names.map((name) => [name, `<${name}>`])))
    const bare = holdfastError(code)
    for (const { message } of [full, bare]) {
      expect(message).toMatch(/^[A-Z].*[.?]$/)
      expect(message).not.toMatch(/[[\]{}]| {2}| [.,:;]|\.\.$/)
    }
    for (const name of names) expect(full.message).toContain(`<${name}>`)
    expect(full.remedy).toMatch(/^[A-Z].{10,}[.]$/)
    expect(full.status).toBeGreaterThanOrEqual(400)
    expect(isErrorCode(code)).toBe(true)
  })

  it('carry code, status, remedy, details and cause', () => {
    const cause = new Error('socket closed')
    const error = holdfastError('unavailable', { problem: 'connection refused' }, { cause })
    expect(error).toBeInstanceOf(HoldfastError)
    expect(error).toMatchObject({ name: 'HoldfastError', code: 'unavailable', status: 503, cause })
    expect(error.message).toBe('The database cannot be reached: connection refused.')
    expect(error.details).toEqual({ problem: 'connection refused' })
  })

  it('a lost lease has a type of its own', () => {
    const error = holdfastError('lease_lost', { job: 7, attempt: 2 })
    expect(error).toBeInstanceOf(LeaseLost)
    expect(error).toMatchObject({ name: 'LeaseLost', code: 'lease_lost', status: 409 })
    expect(error.message).toBe('This attempt 2 of job 7 no longer holds its lease; nothing was written.')
    expect(new LeaseLost().message).toContain('no longer holds')
  })

  it('a wrong state is named', () => {
    const { message } = holdfastError('wrong_state', { job: 7, state: 'running', verb: 'resume' })
    expect(message).toBe('The job 7 does not allow the command "resume" in its present state "running".')
  })

  it('details are put in as they are, whatever they contain', () => {
    const { message } = holdfastError('unknown_queue', { queue: '{queue} [x] $1 $&' })
    expect(message).toBe('There is no queue "{queue} [x] $1 $&".')
  })

  it('may be told in the words of whoever saw it happen', () => {
    const error = holdfastError('unknown_job', { job_id: 7 }, { message: 'There is no job 7 any more.' })
    expect(error.message).toBe('There is no job 7 any more.')
    expect('cause' in error).toBe(false)
  })

  it('other words are not codes', () => {
    for (const word of ['nonsense', 'toString', '', null, 5]) expect(isErrorCode(word)).toBe(false)
  })
})

describe('the nearest name', () => {
  it.each([
    ['maxRetry', 'maxRetries'],
    ['MAXRETRIES', 'maxRetries'],
    ['leseMs', 'leaseMs'],
    ['color', null],
    ['x', null],
    ['', null],
    ['l'.repeat(101), null],
  ])('of %s is %s', (written, expected) => {
    expect(nearest(written, ['maxRetries', 'leaseMs', 'timeoutMs'])).toBe(expected)
  })

  it('is offered as a question, or not at all', () => {
    expect(suggestion('craw', ['crawl'])).toBe(' Did you mean "crawl"?')
    expect(suggestion('zzz', ['crawl'])).toBe('')
  })
})
