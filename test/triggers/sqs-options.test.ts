// What the bridge to SQS may be told. Nothing is called before a worker or a relay uses it.
import { connectSqs, SQS_LIMITS } from 'holdfast/sqs'
import { expect, it } from 'vitest'

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
const open = (options: object) =>
  connectSqs({ queueUrl: 'http://127.0.0.1:1/1/jobs', region: 'x', ...options })

it.each(
  Object.entries(SQS_LIMITS).flatMap(([name, [least, most]]) => [
    [name, least - 1, false],
    [name, least, true],
    [name, least + 1, true],
    [name, most - 1, true],
    [name, most, true],
    [name, most + 1, false],
    [name, 1.5, false],
  ]) as [string, number, boolean][],
)('the option %s may be %d: %s', async (name, value, may) => {
  const made = open({ [name]: value })
  if (may) await expect(made).resolves.toBeDefined()
  else await expect(made).rejects.toMatchObject({ code: 'invalid_input', details: { path: `/${name}` } })
})

it.each([
  ['queueUrl', 'jobs'],
  ['queueUrl', undefined],
  ['deadLetterUrl', 'jobs-dead'],
  ['trigger', 'two words'],
])('the option %s is refused as %s, with where it stands', async (name, value) => {
  await expect(open({ [name]: value })).rejects.toMatchObject({
    code: 'invalid_input',
    details: { path: `/${name}` },
  })
})

it('dead letters are compared only when asked where the option reconcileMs is 0', async () => {
  await expect(open({ reconcileMs: 0 })).resolves.toBeDefined()
  await expect(open({ reconcileMs: -1 })).rejects.toThrow(/or 0/)
})
