/**
 * Where somebody stands in the feed, understood without the database. A cursor of the feed is a snapshot of Postgres, of the server and timeline that
 * it names first: everything that was visible in it has been seen. In the middle of a page it also says how far it came: from|to|xid|id has seen what was visible in `from`, and of what
 * became visible up to `to` everything up to that transaction and event. So what a client has missed can be told from memory, whichever
 * server gave it its cursor.
 */
export interface Snapshot {
  /** Transactions from here on were not visible, */
  readonly xmax: number
  /** nor were these, which were still open. */
  readonly open: ReadonlySet<number>
}

export interface Cursor {
  readonly text: string
  /** Undefined: it means the same everywhere, as "before everything" does. */
  readonly server: string | undefined
  readonly from: Snapshot
  readonly to: Snapshot | undefined
  readonly xid: number
  readonly id: number
}

/** An event's place. */
export interface Place {
  readonly xid: number
  readonly id: number
}

const SNAPSHOT = String.raw`\d{1,15}:\d{1,15}:(?:\d{1,15}(?:,\d{1,15})*)?`
const CURSOR = new RegExp(
  `^(?:([0-9a-f]{1,16}\\.\\d{1,10})~)?(${SNAPSHOT})(?:\\|(${SNAPSHOT})\\|(\\d{1,15})\\|(\\d{1,15}))?$`,
)

/** Undefined: it is not a cursor of a feed. */
export function parseCursor(text: string): Cursor | undefined {
  const [, server, before, after, xid, id] = CURSOR.exec(text) ?? []
  const from = parseSnapshot(before)
  const to = parseSnapshot(after)
  if (from === undefined || (after !== undefined && (to === undefined || !includes(to, from))))
    return undefined
  return { text, server, from, to, xid: Number(xid ?? 0), id: Number(id ?? 0) }
}

/** What Postgres takes for one: open transactions in order, between the first and the last. */
function parseSnapshot(text: string | undefined): Snapshot | undefined {
  if (text === undefined) return undefined
  const [xmin = 0, xmax = 0] = text.split(':', 2).map(Number)
  const open = (text.split(':')[2] ?? '').split(',').filter(Boolean).map(Number)
  const isInOrder = open.every((each, n) => each >= xmin && each < xmax && each > (open[n - 1] ?? 0))
  return xmin >= 1 && xmin <= xmax && isInOrder ? { xmax, open: new Set(open) } : undefined
}

function isVisible({ xmax, open }: Snapshot, xid: number): boolean {
  return xid < xmax && !open.has(xid)
}

/** Whoever stands there has had this event. */
export function hasSeen(cursor: Cursor, { xid, id }: Place): boolean {
  if (isVisible(cursor.from, xid)) return true
  if (cursor.to === undefined || !isVisible(cursor.to, xid)) return false
  return xid < cursor.xid || (xid === cursor.xid && id <= cursor.id)
}

/** A cursor of another server or timeline than this one: its numbers mean nothing here. */
export function isForeign({ server }: Cursor, here: Cursor): boolean {
  return server !== undefined && server !== here.server
}

/** Everything visible in `earlier` is visible in `later`. */
function includes(later: Snapshot, earlier: Snapshot): boolean {
  if (later.xmax < earlier.xmax) return false
  return [...later.open].every((xid) => xid >= earlier.xmax || earlier.open.has(xid))
}

/** All that somebody at `cursor` has not seen is among what somebody at `floor` has not seen. May say no where it is so, never yes where it is not. */
export function isCovered(cursor: Cursor, floor: Cursor): boolean {
  if (includes(cursor.from, floor.to ?? floor.from)) return true
  const [from, to] = partsOf(cursor)
  const [floorFrom, floorTo] = partsOf(floor)
  return from === floorFrom && to !== undefined && to === floorTo && hasSeen(cursor, floor)
}

/** Nothing that is still to come after `position` has been seen by somebody at `cursor`. */
export function isPast(position: Cursor, cursor: Cursor): boolean {
  return includes(position.from, cursor.to ?? cursor.from)
}

/** As text: from, and in the middle of a page also to, transaction and event. */
export function partsOf({ text }: Cursor): string[] {
  return text.slice(text.indexOf('~') + 1).split('|')
}

/** With the server in front that another cursor names. */
export function placedAt({ server }: Cursor, ...parts: readonly (string | number)[]): string {
  return `${server === undefined ? '' : `${server}~`}${parts.join('|')}`
}

/** A snapshot in which only what all of them have seen is visible. */
export function meetOf(cursors: readonly Cursor[]): string {
  const xmax = Math.min(...cursors.map(({ from }) => from.xmax))
  const open = [...new Set(cursors.flatMap(({ from }) => [...from.open]))].filter((xid) => xid < xmax)
  open.sort((a, b) => a - b)
  return `${open[0] ?? xmax}:${xmax}:${open.join(',')}`
}
