/** `npm run test:rest`: what the full lane has and the quick lane has not. For CI, which runs the quick lane first. */
import { lane } from './vitest.config.js'

export default lane('rest')
