/** What a server of the worker protocol must do. Each case stands alone and has a queue of its own. */
import type { ConformanceCase } from './case.js'
import { CLAIMS } from './claims.js'
import { ENDINGS } from './endings.js'
import { LEASES } from './leases.js'
import { OTHERS } from './others.js'

export const CASES: readonly ConformanceCase[] = [...CLAIMS, ...ENDINGS, ...LEASES, ...OTHERS]
