import { Connection, Glyph, Help, ThemeButton } from 'webhook-inbox-ui'
import { connection } from './api/stream.js'
import { keys } from './keys.js'
import { hrefOf, route } from './route.js'
import { config, shortUrl } from './state/config.js'
import { deliveries } from './state/deliveries.js'

/** Where one is, where the sandbox delivers to, and whether the page is current. */
export function TopBar() {
  const { page } = route.value
  return (
    <header class="top">
      <a class="brand" href="#/deliveries">
        <Glyph name="box" size={18} /> Sandbox
      </a>
      <nav class="tabs" aria-label="Pages">
        <a
          class="button"
          href={hrefOf({ page: 'deliveries', id: undefined })}
          aria-current={page === 'deliveries' ? 'page' : undefined}
        >
          Deliveries <span class="faint">{deliveries.value.length.toLocaleString('en')}</span>
        </a>
        <a
          class="button"
          href={hrefOf({ page: 'bank', query: '' })}
          aria-current={page === 'bank' ? 'page' : undefined}
        >
          Bank
        </a>
      </nav>
      <p class="target faint">{targetWords()}</p>
      <Connection state={connection.value} lost="The sandbox does not respond." />
      <ThemeButton />
      <Help keys={keys} />
    </header>
  )
}

function targetWords(): string {
  const { subscriptions = [], retrySeconds = [] } = config.value ?? {}
  const on = subscriptions.filter(({ status }) => status === 'enabled')
  const [first] = on
  if (!config.value || !first) {
    return config.value ? 'delivers to nobody yet' : ''
  }
  const others = on.length > 1 ? ` and ${on.length - 1} more` : ''
  const retries =
    retrySeconds.length > 0 ? `, retries ${retrySeconds.slice(0, 5).join(', ')} s` : ', no retries'
  return `delivers to ${shortUrl(first.url)}${others}${retries}`
}
