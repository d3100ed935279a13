/** Opens an address in the browser of the person at the terminal. */
import { spawn } from 'node:child_process'

/** A program that has not failed by then has opened the page; some wait until the browser ends. */
const WAIT_MS = 3_000

interface Desktop {
  readonly platform?: NodeJS.Platform
  readonly env?: NodeJS.ProcessEnv
}

/** Resolves with false where there is no browser to open, as on a server. */
export async function openInBrowser(
  url: string,
  { platform = process.platform, env = process.env }: Desktop = {},
): Promise<boolean> {
  const [program, ...args] = commandFor(platform, env)
  if (program === undefined) return false
  const child = spawn(program, [...args, url], { env, stdio: 'ignore', detached: platform !== 'win32' })
  child.unref()
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), WAIT_MS)
    const end = (opened: boolean) => {
      clearTimeout(timer)
      resolve(opened)
    }
    child.on('error', () => end(false))
    child.on('exit', (code) => end(code === 0))
  })
}

function commandFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string[] {
  if (platform === 'darwin') return ['open']
  // `start` takes its first argument in quotes as the title of a window.
  if (platform === 'win32') return ['cmd', '/c', 'start', '""']
  // Without a desktop, xdg-open would start a browser of the terminal, which has no terminal here.
  const hasDesktop = env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER
  return hasDesktop ? ['xdg-open'] : []
}
