import './styles/layers.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/ui.css'
import './styles/chart.css'
import './styles/shell.css'
import { render } from 'preact'
import { App } from './shell/app.jsx'
import { startKeyboard } from './state/keyboard.js'
import { startLive } from './state/live.js'
import { checkSession } from './state/session.js'
import './state/theme.js'
import { followLinks } from './state/url.js'

followLinks()
startKeyboard()
startLive()
void checkSession()
render(<App />, document.getElementById('app') as HTMLElement)
