/** Values of fields for the completion of a search. */

import type { Session } from '../../database/database.js'
import type { SuggestedField } from '../../search/complete.js'

/** Each with the tenant, a LIKE pattern and a limit. */
const STATEMENTS: Readonly<Record<SuggestedField, string>> = {
  queue:
    'select q.name as value from holdfast.queues q where q.tenant = $1 and q.name ilike $2 order by 1 limit $3',
  // Declared kinds, and those of a thousand live jobs of each state.
  kind: `select distinct k.kind as value from (
      select k.kind from holdfast.kinds k where k.tenant = $1
      union all
      (select j.kind from holdfast.jobs j where j.tenant = $1 and j.state = 'queued' limit 1000)
      union all
      (select j.kind from holdfast.jobs j where j.tenant = $1 and j.state in ('assigned', 'running') limit 1000)) k
    where k.kind ilike $2 order by 1 limit $3`,
  worker: `select distinct w.worker as value from holdfast.workers w where w.tenant in ($1, '*') and w.worker ilike $2 order by 1 limit $3`,
  version: `select distinct w.app_version as value from holdfast.workers w where w.tenant in ($1, '*') and w.app_version ilike $2 order by 1 limit $3`,
}

const SHOWN_MAX = 20

export async function suggestValues(
  session: Session,
  field: SuggestedField,
  prefix: string,
  tenant: string,
): Promise<string[]> {
  const rows = await session.query<{ value: string }>(
    STATEMENTS[field],
    [tenant, `${prefix.replace(/[\\%_]/g, '\\$&')}%`, SHOWN_MAX],
    { repeatable: true },
  )
  return rows.map(({ value }) => value)
}
