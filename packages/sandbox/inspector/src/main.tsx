import { render } from 'preact'
import '../ui/tokens.css'
import '../ui/base.css'
import '../ui/controls.css'
import '../ui/outcome.css'
import '../ui/table.css'
import './layout.css'
import './deliveries/list.css'
import './deliveries/plots.css'
import './detail/detail.css'
import './make/make.css'
import './bank/bank.css'
import { follow } from './api/stream.js'
import { App } from './app.js'
import { followOpened } from './detail/open-delivery.js'
import { listenToKeys } from './keys.js'
import { followClock } from './state/clock.js'
import { readConfig } from './state/config.js'

followClock()
listenToKeys()
followOpened()
follow()
void readConfig().catch(() => {})

const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App />, root)
}
