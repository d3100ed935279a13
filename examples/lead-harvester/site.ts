/** The site to harvest: a directory of made-up businesses by city, the same each time. */
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { closePlain, listenPlain } from '../support/listen.js'

interface City {
  readonly code: string
  readonly pages: number
  /** Branches of chains are listed in each of these cities, under the phone of their headquarters. */
  readonly hasChains?: boolean
  /** The first two requests for this page fail. */
  readonly flakyPage?: number
  readonly isBroken?: boolean
}

const CITIES: Readonly<Record<string, City>> = {
  Riga: { code: '371 67', pages: 12, hasChains: true },
  Tallinn: { code: '372 60', pages: 12, hasChains: true },
  Vilnius: { code: '370 52', pages: 12, hasChains: true },
  Ventspils: { code: '371 63', pages: 12, flakyPage: 4 },
  Liepaja: { code: '371 34', pages: 12 },
  Tartu: { code: '372 73', pages: 12 },
  Narva: { code: '372 35', pages: 3 },
  Atlantis: { code: '000 00', pages: 12, isBroken: true },
}
const ON_A_PAGE = 10
const TRADES = ['Bakery', 'Garage', 'Florist', 'Dentist', 'Bookshop', 'Plumber']
const CHAINS: Readonly<Record<number, string>> = { 2: 'Baltic Tyres', 5: 'Amber Optics', 8: 'Hansa Pharmacy' }
const FLAKY_FAILURES = 2

interface Listed {
  readonly name: string
  readonly phone: string
  readonly trade: string
  readonly city: string
}

/** Every tenth business is listed twice, as on a real site: the same phone, another spelling. */
function listed(city: string, { code, hasChains }: City, number: number): Listed {
  const page = Math.floor(number / ON_A_PAGE) + 1
  const chain = hasChains && number % ON_A_PAGE === 4 ? CHAINS[page] : undefined
  if (chain !== undefined)
    return { name: chain, phone: `+371 80 0000${page}`, trade: 'Chain', city: 'Riga, Tallinn, Vilnius' }
  const twin = number % ON_A_PAGE === 9 ? number - 1 : number
  const trade = TRADES[twin % TRADES.length] as string
  const name = `${city} ${trade} ${twin}`
  return {
    name: twin === number ? name : name.toUpperCase(),
    phone: `+${code} ${String(twin).padStart(5, '0')}`,
    trade,
    city,
  }
}

function pageOf(name: string, city: City, page: number): string {
  const first = (page - 1) * ON_A_PAGE
  const rows = Array.from({ length: ON_A_PAGE }, (_, n) => listed(name, city, first + n))
  const items = rows.map(
    (row) =>
      `<li class="lead" data-phone="${row.phone}" data-trade="${row.trade}" data-city="${row.city}">${row.name}</li>`,
  )
  const next = page < city.pages ? `<a rel="next" href="/${name}?page=${page + 1}">next</a>` : ''
  return `<!doctype html><title>${name}, page ${page}</title>\n<ul>\n${items.join('\n')}\n</ul>\n${next}\n`
}

export interface Site {
  readonly url: string
  stop(): Promise<void>
}

/** GET /<city>?page=<n> has ten businesses, and a link to the next page while there is one. */
export async function startSite({ port = 0, delayMs = 0 } = {}): Promise<Site> {
  let failures = 0
  const answer = (path: string): { status: number; text: string } => {
    const { pathname, searchParams } = new URL(path, 'http://site')
    const name = decodeURIComponent(pathname).slice(1)
    const city = CITIES[name]
    const page = Number(searchParams.get('page') ?? 1)
    if (city === undefined || !Number.isInteger(page) || page < 1 || page > city.pages)
      return { status: 404, text: 'there is no such page\n' }
    if (city.isBroken) return { status: 500, text: 'the database of this city is down\n' }
    if (page === city.flakyPage && failures < FLAKY_FAILURES) {
      failures += 1
      return { status: 503, text: 'too many visitors\n' }
    }
    return { status: 200, text: pageOf(name, city, page) }
  }
  const server = createServer(async (request, response) => {
    const { status, text } = answer(request.url ?? '/')
    await wait(delayMs)
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(text)
  })
  return { url: await listenPlain(server, port), stop: () => closePlain(server) }
}
