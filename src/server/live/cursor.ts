/**
 * Cursors of the event feed, compared in memory without a query. A cursor is a Postgres snapshot, after the database server and timeline
 * it belongs to: all events visible in the snapshot have been read. In the middle of a page it is from|to|xid|id: read are the events
 * visible in `from`, and of those that became visible up to `to` all up to this transaction and event. So a server can find the events
 * a subscriber has missed, also when another server issued the cursor.
 */
export interface Snapshot {
  /** Transactions from this number on were not visible, */
  readonly xmax: number
  /** nor were these, which were still open. */
  readonly open: ReadonlySet<number>
}

export interface Cursor {
  readonly text: string
  /** Undefined: valid on every server, like "before all events". */
  readonly server: string | undefined
  readonly from: Snapshot
  readonly to: Snapshot | undefined
  readonly xid: number
  readonly id: number
}

/** The position of an event in the feed. */
export interface EventPosition {
  readonly xid: number
  readonly id: number
}

const SNAPSHOT = String.raw`\d{1,15}:\d{1,15}:(?:\d{1,15}(?:,\d{1,15})*)?`
const CURSOR = new RegExp(
  `^(?:([0-9a-f]{1,16}\\.\\d{1,10})~)?(${SNAPSHOT})(?:\\|(${SNAPSHOT})\\|(\\d{1,15})\\|(\\d{1,15}))?$`,
)

/** Returns undefined if the text is not a cursor of the feed. */
export function parseCursor(text: string): Cursor | undefined {
  const [, server, before, after, xid, id] = CURSOR.exec(text) ?? []
  const from = parseSnapshot(before)
  const to = parseSnapshot(after)
  if (from === undefined || (after !== undefined && (to === undefined || !includes(to, from))))
    return undefined
  return { text, server, from, to, xid: Number(xid ?? 0), id: Number(id ?? 0) }
}

/** The rules of Postgres: open transactions in order, from xmin to below xmax. */
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

/** Whether a subscriber at this cursor has read the event. */
export function hasSeen(cursor: Cursor, { xid, id }: EventPosition): boolean {
  if (isVisible(cursor.from, xid)) return true
  if (cursor.to === undefined || !isVisible(cursor.to, xid)) return false
  return xid < cursor.xid || (xid === cursor.xid && id <= cursor.id)
}

/** Whether the cursor is of another database server or timeline, where transaction numbers mean nothing here. */
export function isForeign({ server }: Cursor, here: Cursor): boolean {
  return server !== undefined && server !== here.server
}

/** Everything visible in `earlier` is visible in `later`. */
function includes(later: Snapshot, earlier: Snapshot): boolean {
  if (later.xmax < earlier.xmax) return false
  return [...later.open].every((xid) => xid >= earlier.xmax || earlier.open.has(xid))
}

/** Whether all events unread at `cursor` are unread at `floor` as well. A false negative is possible, a false positive is not. */
export function isCovered(cursor: Cursor, floor: Cursor): boolean {
  if (includes(cursor.from, floor.to ?? floor.from)) return true
  const [from, to] = partsOf(cursor)
  const [floorFrom, floorTo] = partsOf(floor)
  return from === floorFrom && to !== undefined && to === floorTo && hasSeen(cursor, floor)
}

/** Whether no event after `position` was read at `cursor`. */
export function isPast(position: Cursor, cursor: Cursor): boolean {
  return includes(position.from, cursor.to ?? cursor.from)
}

/** The parts of the text: from; in the middle of a page also to, transaction and event. */
export function partsOf({ text }: Cursor): string[] {
  return text.slice(text.indexOf('~') + 1).split('|')
}

/** A cursor of these parts, on the server of another cursor. */
export function withServer({ server }: Cursor, ...parts: readonly (string | number)[]): string {
  return `${server === undefined ? '' : `${server}~`}${parts.join('|')}`
}

/** The snapshot of what all these cursors have read. */
export function meetOf(cursors: readonly Cursor[]): string {
  const xmax = Math.min(...cursors.map(({ from }) => from.xmax))
  const open = [...new Set(cursors.flatMap(({ from }) => [...from.open]))].filter((xid) => xid < xmax)
  open.sort((a, b) => a - b)
  return `${open[0] ?? xmax}:${xmax}:${open.join(',')}`
}
