// The runtime's table, group by group: the library as its users have it, beside the engine underneath and beside the peers' own workers.
import * as cancel from './runtime/cancel.js'
import * as e2e from './runtime/e2e.js'
import * as idle from './runtime/idle.js'
import * as io from './runtime/io.js'
import * as pickup from './runtime/pickup.js'
import * as recovery from './runtime/recovery.js'
import * as waiting from './runtime/waiting.js'

export const GROUPS = [idle, e2e, pickup, io, recovery, cancel, waiting]
