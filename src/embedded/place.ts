// Where the data of a folder is stored. Normally in `<dir>/data`. When root uses a folder that Postgres' account cannot enter (a project in
// /root, mode 0700), in another folder derived from the path, so that the next start finds it again.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Account, accountForExistingData, accountForNewData } from './account.js'
import { hasCluster } from './cluster.js'
import { type Connection, notOurs } from './connection.js'
import { EmbeddedFailed, EmbeddedUnavailable } from './errors.js'
import { isOwnFolder, isReachable, makeOwnFolder } from './folders.js'

export interface DataPlace {
  dataDir: string
  account: Account | undefined
  notes: string[]
}

export async function placeOf(dir: string, recorded: Connection | undefined): Promise<DataPlace> {
  const inside = join(dir, 'data')
  refuseForeignData(inside)
  const homes = accountForNewData() ? outsideHomes(dir) : []
  const outside = homes
    .filter((home) => isOwnFolder(dirname(home)) && isOwnFolder(home))
    .map((home) => join(home, 'data'))
  const known = recorded && recorded.dataDir !== join(recorded.dir, 'data') ? [recorded.dataDir] : []
  const existing = [inside, ...known, ...outside].find(hasCluster)
  if (!existing) return freshPlace(dir)

  // Existing data is never ignored in favour of an empty folder: data that cannot be used is an error.
  if (recorded && existing === recorded.dataDir && existing !== inside && recorded.dir !== dir) {
    throw new EmbeddedFailed(
      `${dir} was copied or moved from ${recorded.dir}, whose data lies in ${existing}`,
      `Start in ${recorded.dir}, or delete ${join(dir, 'connection.json')} to begin with an empty database here.`,
    )
  }
  const account = accountForExistingData(existing)
  if (!(await isReachable(existing, account))) {
    throw new EmbeddedFailed(
      `${existing} has data, but the account Postgres runs under (uid ${account?.uid}) can no longer enter it`,
      `Let others pass through its parent folders (chmod o+x), or move ${existing} to ${join(homes[0] ?? '', 'data')}.`,
    )
  }
  return { dataDir: existing, account, notes: existing === inside ? [] : [moved(dir, existing)] }
}

async function freshPlace(dir: string): Promise<DataPlace> {
  const account = accountForNewData()
  if (await isReachable(dir, account)) return { dataDir: join(dir, 'data'), account, notes: [] }
  for (const home of outsideHomes(dir)) {
    if (!makeOwnFolder(dirname(home)) || !makeOwnFolder(home) || !(await isReachable(home, account))) continue
    const dataDir = join(home, 'data')
    return { dataDir, account, notes: [moved(dir, dataDir)] }
  }
  throw new EmbeddedUnavailable(
    `No folder was found that uid ${account?.uid}, the account Postgres runs under, can enter`,
    `Let others pass through the parents of ${dir} (chmod o+x), or run as an ordinary user.`,
  )
}

function outsideHomes(dir: string): string[] {
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  return [join('/var/lib/holdfast', name), join(tmpdir(), 'holdfast-data', name)]
}

function moved(dir: string, dataDir: string): string {
  return `The data lies in ${dataDir}, because the account Postgres runs under cannot enter ${dir}`
}

/** existsSync returns false without rights on the folder; initdb over existing data would follow from that. */
function refuseForeignData(dataDir: string): void {
  try {
    statSync(join(dataDir, 'PG_VERSION'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw notOurs(dataDir, error)
  }
}
