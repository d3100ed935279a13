/** Files of an example that are not compiled, such as programs in other languages. This module runs from examples/dist/support. */
import { fileURLToPath } from 'node:url'

export const exampleFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
