import { listenToKeys, mountPage } from 'webhook-inbox-ui'
import 'webhook-inbox-ui/style.css'
import './page.css'
import './deliveries/plots.css'
import './detail/detail.css'
import './make/make.css'
import './bank/bank.css'
import { follow } from './api/stream.js'
import './own-shapes.js'
import { App } from './app.js'
import { followOpened } from './detail/open-delivery.js'
import { keys } from './keys.js'
import { followClock } from './state/clock.js'
import { readConfig } from './state/config.js'

followClock()
listenToKeys(keys)
followOpened()
follow()
void readConfig().catch(() => {})

mountPage(App)
