// The keys of `up` on a terminal, and the browser that one of them opens.
import { EventEmitter, once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openInBrowser } from '../../src/cli/terminal/browser.js'
import { listenForKeys } from '../../src/cli/up/keys.js'
import { emptyFolder } from './run-holdfast.js'

class Keyboard extends EventEmitter {
  readonly isTTY = true
  readonly modes: boolean[] = []
  flowing = false
  setRawMode(raw: boolean) {
    this.modes.push(raw)
    return this as never
  }
  resume() {
    this.flowing = true
    return this as never
  }
  pause() {
    this.flowing = false
    return this as never
  }
  press(keys: string) {
    this.emit('data', Buffer.from(keys))
  }
}

function listening() {
  const keyboard = new Keyboard()
  const seen: string[] = []
  const exits = process.listenerCount('exit')
  const restore = listenForKeys(
    { open: () => seen.push('open'), signal: (name) => seen.push(name) },
    keyboard as never,
  )
  return { keyboard, seen, restore, exits }
}

describe('keys of up', () => {
  it('`o` opens the dashboard; `q` and Ctrl-C interrupt, each time they are pressed; other keys do nothing', () => {
    const { keyboard, seen, restore } = listening()
    for (const keys of ['o', 'x', 'q', '\x03', 'Oo', '\x1b[A', '\r']) keyboard.press(keys)
    restore()
    expect(seen).toEqual(['open', 'SIGINT', 'SIGINT', 'open', 'open'])
  })

  it('the terminal gets its mode back once, and the process can end', () => {
    const { keyboard, seen, restore, exits } = listening()
    expect({ modes: keyboard.modes, flowing: keyboard.flowing }).toEqual({ modes: [true], flowing: true })
    restore()
    restore()
    keyboard.press('q')
    expect({ modes: keyboard.modes, flowing: keyboard.flowing, seen }).toEqual({
      modes: [true, false],
      flowing: false,
      seen: [],
    })
    expect(process.listenerCount('exit')).toBe(exits)
  })

  it('an exit without a return restores the mode, too', () => {
    const { keyboard, exits } = listening()
    const [restoreAtExit] = process.listeners('exit').slice(exits)
    restoreAtExit?.(1)
    expect(keyboard.modes).toEqual([true, false])
    expect(process.listenerCount('exit')).toBe(exits)
  })

  it('Ctrl-Z gives the terminal to the shell, and takes it back when the process continues', async () => {
    const { keyboard, seen, restore } = listening()
    keyboard.press('\x1a')
    expect({ seen, modes: keyboard.modes }).toEqual({ seen: ['SIGTSTP'], modes: [true, false] })
    const continued = once(process, 'SIGCONT')
    process.kill(process.pid, 'SIGCONT')
    await continued
    expect(keyboard.modes).toEqual([true, false, true])
    restore()
  })
})

describe('the browser', () => {
  /** A desktop whose xdg-open notes what it was asked to open. */
  function desktop(exitCode: number) {
    const folder = emptyFolder()
    const file = join(folder, 'xdg-open')
    writeFileSync(file, `#!/bin/sh\nprintf %s "$1" > "${folder}/opened"\nexit ${exitCode}\n`)
    chmodSync(file, 0o755)
    return { folder, env: { PATH: folder, DISPLAY: ':0' }, platform: 'linux' as const }
  }
  const URL_OF_DASHBOARD = 'http://127.0.0.1:8080/?a=b&c=$(d)'

  it('is opened with the address, which no shell reads', async () => {
    const { folder, ...here } = desktop(0)
    expect(await openInBrowser(URL_OF_DASHBOARD, here)).toBe(true)
    expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe(URL_OF_DASHBOARD)
  })

  it('is missing if there is no desktop, no program, or the program fails', async () => {
    const { folder, ...failing } = desktop(3)
    expect(await openInBrowser(URL_OF_DASHBOARD, { platform: 'linux', env: { PATH: folder } })).toBe(false)
    expect(
      await openInBrowser(URL_OF_DASHBOARD, { platform: 'linux', env: { PATH: '', DISPLAY: ':0' } }),
    ).toBe(false)
    expect(await openInBrowser(URL_OF_DASHBOARD, failing)).toBe(false)
  })
})
