// Failures that need a machine of their own to happen: what a person reads then.
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { failureOf } from '../../src/cli/failure.js'
import { EmbeddedFailed } from '../../src/embedded/errors.js'
import { emptyFolder, holdfast } from './run-holdfast.js'

describe('a full disk', () => {
  const INITDB = `initdb could not create data:   LC_TIME:     C
running bootstrap script ... FATAL:  could not write to file "pg_wal/xlogtemp.24717": No space left on device
child process exited with exit code 1`

  it.each([
    ['of the embedded database', new EmbeddedFailed(INITDB, 'See the log.'), 'initdb could not create data.'],
    [
      'of a file',
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
      'write.',
    ],
    [
      'of a server',
      Object.assign(new Error('could not extend file'), { code: '53100' }),
      'could not extend file.',
    ],
    [
      'as a cause',
      new Error('no start', { cause: Object.assign(new Error('x'), { code: 'EDQUOT' }) }),
      'no start.',
    ],
  ])('%s is 69, in one line, with how to make room', (_whose, error, end) => {
    const failure = failureOf(error)
    expect(failure).toMatchObject({
      code: 'disk_full',
      exitCode: 69,
      message: expect.stringMatching(/^There is no space left on the disk: [^\n]+$/),
      remedy: expect.stringMatching(/df -h.*HOLDFAST_FOLDER/),
    })
    expect(failure.message.endsWith(end)).toBe(true)
  })

  it('is not what a folder without permission is', () => {
    const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
    expect(failureOf(error)).toMatchObject({ code: 'folder_not_writable', exitCode: 78 })
  })
})

it('a port in use is 78, with its number, how to choose another, and how to find the program', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const { code, stdout, stderr } = await holdfast(['up', '--port', String(port)], { cwd: emptyFolder() })
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
  expect(stderr).toContain(`error  Port ${port} is in use by another program.\n`)
  expect(stderr).toMatch(
    new RegExp(`do     Choose another with --port or --host.*port 0 picks a free one.*:${port}`),
  )
})
