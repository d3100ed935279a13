import { createRequire } from 'node:module'

/** The version of this package, recorded with what it writes into a database. */
export const PACKAGE_VERSION: string = createRequire(import.meta.url)('../../package.json').version
