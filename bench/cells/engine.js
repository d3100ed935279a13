// The engine's table, group by group. Cells of a group share their rounds.
import * as costs from './costs.js'
import * as depth from './depth.js'
import * as drain from './drain.js'
import * as enqueue from './enqueue.js'
import * as idle from './idle.js'
import * as pinned from './pinned.js'
import * as spread from './spread.js'
import * as stages from './stages.js'

// Idle first: autovacuum tidies up the catalog after databases that were made and dropped, and that would be counted as WAL of the idle.
export const GROUPS = [idle, drain, enqueue, spread, pinned, depth, stages, costs]
