import { expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { openStream } from './open-stream.js'
import { limitedConsole, listen, openFilledInbox } from './rig.js'

it('a stream ends while the store does not respond, and begins again afterwards', async () => {
  const { receiver } = await openFilledInbox()
  let isLost = false
  const failing: Receiver = {
    ...receiver,
    statistics: (query) => (isLost ? Promise.reject(new Error('no database')) : receiver.statistics(query)),
  }
  const options = {
    authorize: () => true,
    readOnly: true,
    logger: { info() {}, warn() {}, error() {} },
  } as const
  const url = await listen(limitedConsole(failing, options, { lookSeconds: 0.02 }))
  const first = await openStream(`${url}/api/stream`)
  await first.next()
  isLost = true
  await first.ended()
  const rejected = await fetch(`${url}/api/stream`)
  expect([rejected.status, await rejected.json()]).toMatchObject([503, { code: 'store_unavailable' }])
  isLost = false
  const second = await openStream(`${url}/api/stream`)
  await second.next()
  await second.close()
})
