// The server's table, group by group: `holdfast server` in a process of its own, called with a key, beside what one would write without it.
import * as create from './http/create.js'
import * as cycle from './http/cycle.js'
import * as pullReport from './http/pull-report.js'

export const GROUPS = [cycle, create, pullReport]
