import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeSchema } from '../../src/database/describe.js'
import { freshStore, onEachDriver } from '../support/world.js'

const file = new URL('../../sql/schema.sql', import.meta.url)

onEachDriver('the picture of the schema', (driver) => {
  it('sql/schema.sql shows what a fresh database has', async () => {
    const store = await freshStore(driver)
    expect(await describeSchema(store.database, store.schema), 'to renew it: npm run generate').toBe(
      readFileSync(file, 'utf8'),
    )
  })

  it('shows a column, a check, an index, a default and a function that somebody added or changed', async () => {
    const store = await freshStore(driver)
    const before = await describeSchema(store.database, store.schema)
    await store.database.script(`
      alter table holdfast.job add column colour text collate "C" default 'red' check (colour <> '');
      create index job_colour on holdfast.job (colour) where colour is not null;
      alter table holdfast.setting alter column value drop not null;
      create function holdfast.paint(p_job bigint, p_colour text default 'blue') returns setof holdfast.state
        language sql stable set search_path = pg_catalog as $$ select null::holdfast.state $$;
      create view holdfast.colours as select id, colour from holdfast.job;`)
    const after = (await describeSchema(store.database, store.schema)).split('\n')
    const added = after.filter((line) => !before.split('\n').includes(line)).map((line) => line.trim())
    expect(added).toEqual([
      `colour text collate "C" default 'red'::text,`,
      `constraint job_colour_check CHECK ((colour <> ''::text)),`,
      'CREATE INDEX job_colour ON holdfast.job USING btree (colour) WHERE (colour IS NOT NULL);',
      'value jsonb,',
      `create function holdfast.paint(p_job bigint, p_colour text DEFAULT 'blue'::text)`,
      'returns SETOF holdfast.state',
      'set search_path=pg_catalog;',
      'create view holdfast.colours (',
      'colour text',
    ])
  })
})
