import { render } from 'preact'
import '../../../sandbox/inspector/ui/tokens.css'
import '../../../sandbox/inspector/ui/base.css'
import '../../../sandbox/inspector/ui/controls.css'
import '../../../sandbox/inspector/ui/outcome.css'
import '../../../sandbox/inspector/ui/table.css'
import './console.css'
import { now } from '../../../sandbox/inspector/ui/time.js'
import { App } from './app.js'
import { follow } from './live.js'
import { readMe } from './me.js'

setInterval(() => {
  now.value = Date.now()
}, 1000)
follow()
void readMe()

const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App />, root)
}
