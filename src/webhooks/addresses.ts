/**
 * Checks which addresses a webhook may have. A caller who may add a webhook makes these processes call an address inside their network:
 * without a guard that is a way to everything that trusts the network. So only public addresses are called, and those that the
 * configuration of the process allows; everything else is refused, however it is written. What counts is the address a name leads to at the
 * moment of the call, and the call goes to that very address: a name that leads elsewhere a moment later changes nothing.
 */
import { lookup as dnsLookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { holdfastError, invalidInput } from '../domain/errors/errors.js'

export interface Address {
  readonly address: string
  readonly family: number
}

export type Lookup = (hostname: string) => Promise<readonly Address[]>

/** How this process may call webhooks. */
export interface WebhookOptions {
  /** Ranges that may be called although they are not public, also without TLS: `10.1.0.0/16`, `127.0.0.1`, `fd00::/8`. */
  readonly allow?: readonly string[]
  /** Certificates (PEM) of authorities to trust beside the usual ones. */
  readonly ca?: string
  /** In place of the system's resolver. */
  readonly lookup?: Lookup
  /** How long one call may take, the resolver included; ten seconds if not given, a minute at most. */
  readonly timeoutMs?: number
}

const URL_CHARS_MAX = 2000

/** The special-purpose ranges of IPv4; all else is public. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** Of IPv6 only global unicast is public, without what stands for something else there: tunnels, translations, documentation. */
const GLOBAL_V6 = ['2000::/3']
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const special = listOf([...SPECIAL_V4, ...SPECIAL_V6])
const global6 = listOf(GLOBAL_V6)

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) addTo(list, range)
  return list
}

function addTo(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/')
  const family = isIP(address)
  const whole = family === 4 ? 32 : 128
  const prefix = bits === undefined ? whole : Number(bits)
  if (family === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > whole || bits === '')
    throw invalidInput(
      '/webhooks/allow',
      `"${range.slice(0, 100)}" is no address and no range like 10.1.0.0/16`,
    )
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
}

/** Refuses what is no range, once, where it is configured. */
export function checkAllowed(ranges: readonly string[]): readonly string[] {
  listOf(ranges)
  return ranges
}

export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  // A zone makes it one of this machine's links; the two lists would not know it.
  return isIP(address) === 6 && global6.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

function isAllowed(address: string, allow: readonly string[] = []): boolean {
  const family = isIP(address)
  // An IPv4 address in the clothes of IPv6 is allowed only where it is allowed by that name.
  const own = allow.filter((range) => isIP(range.split('/', 1)[0] ?? '') === family)
  return family !== 0 && own.length > 0 && listOf(own).check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Refuses addresses that can never be called, before their name is resolved. */
export function checkWebhookUrl(text: string, { allow = [] }: WebhookOptions = {}): URL {
  const refuse = (problem: string) => holdfastError('webhook_refused', { path: '/url', problem })
  if (text.length > URL_CHARS_MAX) throw refuse(`it has more than ${URL_CHARS_MAX} characters`)
  if (!URL.canParse(text)) throw refuse('it is no address')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('it must begin with https://')
  if (url.username !== '' || url.password !== '') throw refuse('it must not contain a user or a password')
  const host = hostOf(url)
  if (host === '') throw refuse('it names no host')
  if (isIP(host) !== 0) checkAddress(url, host, allow)
  else if (url.protocol === 'http:' && allow.length === 0) throw refuse('it must begin with https://')
  return url
}

/** Where the call goes: the one address that is connected to, asked for once. */
export async function resolveWebhook(
  url: URL,
  { allow = [], lookup = system }: WebhookOptions,
): Promise<Address> {
  const host = hostOf(url)
  const family = isIP(host)
  const found = family === 0 ? await lookup(host) : [{ address: host, family }]
  // All of them: a name of which one address is inside is not to be trusted with the others.
  for (const { address } of found) checkAddress(url, address, allow)
  const [first] = found
  if (first === undefined) throw holdfastError('webhook_refused', { problem: 'its name leads nowhere' })
  return first
}

function checkAddress(url: URL, address: string, allow: readonly string[]): void {
  if (isAllowed(address, allow)) return
  // Not which one: who may add a webhook need not learn what names lead to in here.
  if (!isPublic(address))
    throw holdfastError('webhook_refused', { problem: 'it leads to an address that is not public' })
  if (url.protocol !== 'https:')
    throw holdfastError('webhook_refused', { problem: 'it must begin with https://' })
}

/** Without the brackets of IPv6. The parser has turned every way to write an IPv4 address into the usual one. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

const system: Lookup = (hostname) => dnsLookup(hostname, { all: true, verbatim: true })
