import { signal } from 'webhook-inbox-ui/signals'
import { call, useKey } from '../api/call.js'
import type { Config } from '../api/records.js'
import { on } from '../api/stream.js'

/** How the sandbox was started, and its subscriptions. */
export const config = signal<Config | undefined>(undefined)

export async function readConfig(): Promise<void> {
  const read = await call<Config>('GET', '/_sandbox/config')
  useKey(read.apiKey)
  config.value = read
}

/** The subscription with this id, unless it was deleted. */
export const subscriptionOf = (id: string) => config.value?.subscriptions.find((each) => each.id === id)

/** Where a program listens, without what every local address has. */
export const shortUrl = (url: string) => url.replace(/^https?:\/\//, '')

/** As {@link shortUrl}, where there is room for little: `:3000/webhooks` on this machine. */
export const portAndPath = (url: string) => shortUrl(url).replace(/^(127\.0\.0\.1|localhost)(?=:)/, '')

const readAgain = () => void readConfig().catch(() => {})
on('subscription', readAgain)
on('reset', readAgain)
