// `holdfast top` in a real terminal: keys, a command, a lost server, and how it leaves the screen.
import { spawn } from 'node:child_process'
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { serverOn } from '../server/world.js'
import { environment, MAIN } from '../support/cli/child.js'
import { freshStore, postgresUrl } from '../support/world.js'

const ENTER = '\x1b[?1049h'
/** The cursor is visible again, then the screen of before. */
const RESTORED = '\x1b[?25h\x1b[?1049l'

/** Starting the command takes long on a busy machine. */
function until<T>(shown: () => T) {
  return expect.poll(shown, { timeout: 120_000 })
}

/** A terminal of 80×24 with the command in it. `script` makes the terminal; the screen is what the command has drawn on it. */
function openTop(args: readonly string[], env: Record<string, string> = {}) {
  const command = `stty cols 80 rows 24; echo "pid $$"; exec '${process.execPath}' '${MAIN}' top ${args.join(' ')}`
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    env: environment({ NO_COLOR: '1', TERM: 'xterm', SHELL: '/bin/sh', ...env }),
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString('utf8')
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return {
    ended,
    output: () => output,
    screen: () => drawn(output),
    press: (keys: string) => child.stdin.write(keys),
    kill: (signal: NodeJS.Signals) => process.kill(Number(/pid (\d+)/.exec(output)?.[1]), signal),
  }
}

/** The lines that are left of everything that was drawn since the screen was last cleared. */
function drawn(output: string): string {
  const lines: string[] = Array.from({ length: 24 }, () => '')
  const [, ...parts] = output.slice(output.lastIndexOf('\x1b[2J')).split('\x1b[')
  let row = 0
  for (const part of parts) {
    const moved = /^(\d+);1H$/.exec(part)?.[1]
    if (moved !== undefined) row = Number(moved) - 1
    else if (part.startsWith('2K')) lines[row] = part.slice(2)
  }
  return lines.join('\n')
}

async function failedJob(store: Store): Promise<number> {
  await store.enqueue({ queue: 'mail', kind: 'welcome', maxRetries: 0 })
  const [job] = (await store.work.claim({ worker: 'w', queues: ['mail'] })) as [ClaimedJob]
  const error = new Error('no \x1b[31mroute\x07 to host')
  await store.work.finish([{ ...job, outcome: 'failed', error }])
  return job.jobId
}

it('moves by keys, retries a job after y, pauses a queue, and q restores the screen', async () => {
  const store = await freshStore()
  const jobId = await failedJob(store)
  const top = openTop(['--every', '1', '--url', `'${postgresUrl()}'`, '--schema', store.schema])
  await until(top.screen).toContain('● live')
  expect(top.output()).toContain(ENTER)
  expect(top.screen()).toMatch(/ {2}mail +0 /)

  top.press('3')
  await until(top.screen).toMatch(new RegExp(`› +${jobId} +failed +mail +welcome .*route`))
  // Nothing of the error was taken as an escape sequence.
  expect(top.output()).not.toContain('\x1b[31m')
  expect(top.output()).not.toContain('\x07')

  top.press('r')
  await until(top.screen).toContain(`Retry job ${jobId}? y/n`)
  expect((await store.read.job(jobId)).state).toBe('failed')
  top.press('y')
  await until(top.screen).toContain(`Job ${jobId} retried, now queued.`)
  expect((await store.read.job(jobId)).state).toBe('queued')
  await until(top.screen).toMatch(new RegExp(`› +${jobId} +queued`))

  top.press('\r')
  await until(top.screen).toMatch(new RegExp(`Job ${jobId} {2}queued {2}welcome in mail`))
  expect(top.screen()).toContain('you can')
  top.press('2')
  await until(top.screen).toContain('› mail')
  top.press('py')
  await until(top.screen).toContain('Queue mail is paused.')
  expect((await store.queues.get('mail')).pausedAt).not.toBeNull()

  top.press('q')
  expect(await top.ended).toBe(0)
  expect(top.output()).toContain(RESTORED)
})

it('restores the screen on Ctrl-C and on SIGTERM, with their exit codes', async () => {
  const store = await freshStore()
  for (const { end, code } of [
    { end: (top: ReturnType<typeof openTop>) => top.press('\x03'), code: 130 },
    { end: (top: ReturnType<typeof openTop>) => top.kill('SIGTERM'), code: 143 },
  ]) {
    const top = openTop(['--url', `'${postgresUrl()}'`, '--schema', store.schema])
    await until(top.screen).toContain('● live')
    end(top)
    expect(await top.ended).toBe(code)
    expect(top.output()).toContain(RESTORED)
  }
})

it('leaves the screen when it is suspended, and draws it again when it continues', async () => {
  const store = await freshStore()
  const top = openTop(['--url', `'${postgresUrl()}'`, '--schema', store.schema])
  await until(top.screen).toContain('● live')
  top.kill('SIGTSTP')
  await until(top.output).toContain(RESTORED)
  top.kill('SIGCONT')
  await until(() => top.output().split(ENTER).length).toBeGreaterThan(2)
  await until(top.screen).toContain('● live')
  top.press('q')
  expect(await top.ended).toBe(0)
})

it('survives a server that goes away, and refuses commands of a key that may only read', async () => {
  const store = await freshStore()
  const jobId = await failedJob(store)
  const { secret } = await store.keys.create({ name: 'watch', scopes: ['read'], tenant: 'default' })
  const listen = async (port: number) => {
    const { app } = serverOn(store)
    onTestFinished(() => app.close())
    await app.listen({ host: '127.0.0.1', port })
    return { app, port: (app.server.address() as { port: number }).port }
  }
  const { app, port } = await listen(0)
  const top = openTop(['--every', '1', '--server', `http://127.0.0.1:${port}`], { HOLDFAST_KEY: secret })
  await until(top.screen).toContain('● live')
  top.press('3')
  await until(top.screen).toMatch(new RegExp(`› +${jobId} +failed`))
  top.press('cy')
  await until(top.screen).toMatch(/Refused: .*operate/s)
  expect((await store.read.job(jobId)).state).toBe('failed')

  await app.close()
  await until(top.screen).toMatch(/× lost since \d\d:\d\d:\d\d/)
  expect(top.screen()).toMatch(new RegExp(`› +${jobId} +failed`))
  await listen(port)
  await until(top.screen).toContain('● live')
  top.press('q')
  expect(await top.ended).toBe(0)
})
