/** The version of this package. Migrations record it in the database, and workers report it. */
import { createRequire } from 'node:module'

export const PACKAGE_VERSION: string = createRequire(import.meta.url)('../../package.json').version
