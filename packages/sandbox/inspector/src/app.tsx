import { Announcements } from 'webhook-inbox-ui'
import { BankPage } from './bank/page.js'
import { DeliveriesPage } from './deliveries/page.js'
import { route } from './route.js'
import { TopBar } from './top-bar.js'

export function App() {
  return (
    <div class="app">
      <TopBar />
      {route.value.page === 'deliveries' ? <DeliveriesPage /> : <BankPage />}
      <Announcements />
    </div>
  )
}
