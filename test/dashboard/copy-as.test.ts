/** A job as a command to paste: whatever its values contain, they stay values. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { copyForms, shellQuoted, sqlQuoted } from '../../dashboard/src/pages/job/copy-as.js'
import type { Job } from '../../dashboard/src/pages/job/timeline.js'

const HOSTILE = `it's $(touch x) \`id\` "quoted" \\ ; rm -rf / \n;--`

const job = {
  ...{
    id: 42,
    queue: "o'hara",
    kind: 'charge',
    initial_priority: 60,
    target: HOSTILE,
    labels: { team: 'core' },
  },
  input: { user: "it's", id: 42 },
} as unknown as Job

const wordsOf = (command: string) =>
  execFileSync('bash', ['-c', `set -- ${command}\nprintf '%s\\0' "$@"`])
    .toString()
    .split('\0')
    .slice(0, -1)

it('a shell reads quoted text as one word', () => {
  expect(wordsOf(shellQuoted(HOSTILE))).toEqual([HOSTILE])
  expect(shellQuoted('plain-word')).toBe('plain-word')
  expect(wordsOf(shellQuoted(''))).toEqual([''])
})

it('curl and the command line enqueue the same job', () => {
  const forms = copyForms(job, 'https://ops.example/jobs/')
  const curl = wordsOf(forms['curl, enqueue it again'] ?? '')
  expect(curl.slice(0, 4)).toEqual(['curl', '-X', 'POST', 'https://ops.example/jobs/api/v1/jobs'])
  const body = curl.at(-1) ?? ''
  expect(JSON.parse(body)).toMatchObject({ queue: "o'hara", kind: 'charge', target: HOSTILE, priority: 60 })
  expect(wordsOf(forms['CLI, enqueue it again'] ?? '')).toEqual([
    ...['holdfast', 'enqueue', "o'hara", 'charge', '{"user":"it\'s","id":42}'],
    ...['--target', HOSTILE, '--priority', '60'],
  ])
})

it('SQL doubles quotes', () => {
  expect(sqlQuoted("o'hara")).toBe("'o''hara'")
  expect(copyForms(job, '/')['SQL, enqueue it again']).toContain("holdfast.enqueue('o''hara', 'charge', '{")
})
