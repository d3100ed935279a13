/** The tables of the crawler itself, in a schema beside the one of Holdfast. */
import type { Session } from 'holdfast/store'
import type { Graph } from './graph.js'

export interface Page {
  readonly id: number
  readonly name: string
  readonly members: number
  readonly links: readonly { readonly id: number; readonly name: string; readonly mentions: number }[]
}

export class Tables {
  readonly #schema: string

  constructor(schema: string) {
    this.#schema = `"${schema}_map"`
  }

  create(session: Session, { keep }: { keep: boolean }): Promise<void> {
    const schema = this.#schema
    return session.script(`
      set client_min_messages = warning;
      ${keep ? '' : `drop schema if exists ${schema} cascade;`}
      create schema if not exists ${schema};
      create table if not exists ${schema}.subreddits (
        id int primary key, name text not null unique, members int, crawls int not null default 0);
      create table if not exists ${schema}.links (
        from_id int not null, to_id int not null, mentions int not null, primary key (from_id, to_id));`)
  }

  /** Returns the ids of those that were unknown. In order of id, so that two crawls that find the same ones never deadlock. */
  async discover(session: Session, found: readonly { id: number; name: string }[]): Promise<number[]> {
    const rows = await session.query<{ id: number }>(
      `insert into ${this.#schema}.subreddits (id, name)
       select id, name from jsonb_to_recordset($1) as found (id int, name text) order by id
       on conflict do nothing returning id`,
      [JSON.stringify(found)],
    )
    return rows.map(({ id }) => id)
  }

  /** Replaces what the last crawl has written. */
  async store(session: Session, { id, members, links }: Page): Promise<void> {
    const schema = this.#schema
    await session.query(`update ${schema}.subreddits set members = $2, crawls = crawls + 1 where id = $1`, [
      id,
      members,
    ])
    await session.query(`delete from ${schema}.links where from_id = $1`, [id])
    await session.query(
      `insert into ${schema}.links select $1, id, mentions from jsonb_to_recordset($2) as l (id int, mentions int)`,
      [id, JSON.stringify(links)],
    )
  }

  /** How many are known but were never crawled. */
  async uncrawled(session: Session): Promise<number> {
    const [row] = await session.query<{ count: number }>(
      `select count(*)::int as count from ${this.#schema}.subreddits where crawls = 0`,
    )
    return row?.count ?? 0
  }

  async crawlsOf(session: Session, id: number): Promise<number> {
    const [row] = await session.query<{ crawls: number }>(
      `select crawls from ${this.#schema}.subreddits where id = $1`,
      [id],
    )
    return row?.crawls ?? 0
  }

  /** What is crawled so far, in order of name. */
  async graph(session: Session): Promise<Graph> {
    const schema = this.#schema
    const nodes = await session.query<{ name: string; members: number }>(
      `select name, coalesce(members, 0) as members from ${schema}.subreddits order by name`,
    )
    const links = await session.query<{ from: string; to: string; mentions: number }>(
      `select a.name as from, b.name as to, l.mentions from ${schema}.links l
       join ${schema}.subreddits a on a.id = l.from_id join ${schema}.subreddits b on b.id = l.to_id order by 1, 2`,
    )
    return { nodes, links }
  }
}
