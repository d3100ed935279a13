/** A browser as far as sessions are concerned: it keeps the cookie that the server has set, and the token that the page sends. */
import type { Heard, ServerWorld } from './world.js'

export interface Browser {
  readonly cookie: string
  readonly csrf: string
  /** As the dashboard calls: with the cookie, and with the CSRF token unless told otherwise. */
  call(
    method: string,
    path: string,
    more?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Heard>
  /** The same without the token, as a forged call would be. */
  forged(method: string, path: string, body?: unknown): Promise<Heard>
}

export function cookieIn({ headers }: Pick<Heard, 'headers'>): string {
  return String(headers['set-cookie']).split(';', 1)[0] ?? ''
}

/** Signs in with this key. */
export async function signIn({ call }: Pick<ServerWorld, 'call'>, key: string): Promise<Browser> {
  const signedIn = await call('POST', '/api/v1/session', { body: { key } })
  if (signedIn.status !== 200) throw new Error(`not signed in: ${signedIn.text}`)
  const cookie = cookieIn(signedIn)
  const csrf: string = signedIn.body.csrf_token
  return {
    cookie,
    csrf,
    call: (method, path, { body, headers } = {}) =>
      call(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: { cookie, 'x-csrf-token': csrf, ...headers },
      }),
    forged: (method, path, body) =>
      call(method, path, { ...(body === undefined ? {} : { body }), headers: { cookie } }),
  }
}
