// The command itself, for a few seconds: long enough to see a lease expire and a stale write refused.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

interface Answer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function chaos(...flags: string[]): Promise<Answer> {
  const script = fileURLToPath(new URL('../../scripts/chaos.js', import.meta.url))
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...flags], { maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
    })
  })
}

it('a short run holds every promise, and says what it saw and how to repeat it', {
  timeout: 600_000,
}, async () => {
  const { code, stdout, stderr } = await chaos(
    '--seconds',
    '15',
    '--random-seed',
    '11',
    '--workers',
    '3',
    '--json',
  )
  expect(stderr).toBe('')
  const { verdict, seen, findings, command, counts } = JSON.parse(stdout)
  const broken = findings.filter(({ violations }: { violations: unknown[] }) => violations.length > 0)
  expect({ verdict, broken }).toEqual({ verdict: 'held', broken: [] })
  expect(Object.keys(seen)).toEqual([
    'claims',
    'expired leases',
    'refused stale writes',
    'reconnects',
    'handlers begun',
    'begun over HTTP',
    'leases renewed over HTTP',
    'begun at targets',
    'handlers aborted',
    'renewals of swept leases',
    'revocations of an attempt before',
    'arrivals as the last job of a target ended',
    'claims while an expired lease was swept again',
    'events followed',
    'crashes within 50 ms of a claim',
    'crashes with the WAL writer frozen',
  ])
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
  expect(counts['jobs made']).toBeGreaterThan(100)
  expect(command).toBe('npm run chaos -- --seconds 15 --random-seed 11 --workers 3')
  expect(code).toBe(0)
})

it('flags that make no sense are refused with what there is', async () => {
  const { code, stderr } = await chaos('--seconds', 'many')
  expect(code).toBe(2)
  expect(stderr).toContain('--seconds must be a whole number from 5 to 86400')
  expect((await chaos('--mutant', 'none')).stderr).toContain('there is no mutant none\nnpm run chaos -- ')
})
