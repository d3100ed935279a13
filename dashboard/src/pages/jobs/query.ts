/** The search of the page, in the URL. */
import { textParam } from '../../state/url.js'

export const query = textParam('q')
