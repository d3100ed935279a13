/** The full lane, `npm run test:full`: every test, on both databases, and the runtime behind a pooler and without notifications. */
import { lane } from './vitest.config.js'

export default lane('full')
