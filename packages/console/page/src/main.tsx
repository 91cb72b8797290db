import { listenToKeys, mountPage, now } from 'webhook-inbox-ui'
import 'webhook-inbox-ui/style.css'
import './console.css'
import { App } from './app.js'
import { keys } from './keys.js'
import { follow } from './live.js'
import { readMe } from './me.js'

setInterval(() => {
  now.value = Date.now()
}, 1000)
listenToKeys(keys)
follow()
void readMe()
mountPage(App)
