import { Announcements } from 'webhook-inbox-ui'
import { isLost } from './api/stream.js'
import { Away } from './away.js'
import { BankPage } from './bank/page.js'
import { DeliveriesPage } from './deliveries/page.js'
import { route } from './route.js'
import { TopBar } from './top-bar.js'

export function App() {
  return (
    <div class={isLost() ? 'app old' : 'app'}>
      <div>
        <TopBar />
        <Away />
      </div>
      {route.value.page === 'deliveries' ? <DeliveriesPage /> : <BankPage />}
      <Announcements />
    </div>
  )
}
