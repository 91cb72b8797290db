import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { fetchHandler } from '../../adapters/fetch.js'
import { joinedHeaders } from './joined-headers.js'
import { deliver } from './suite/http.js'
import { listen } from './suite/listen.js'
import { rig } from './suite/rig.js'
import { signed } from './suite/signed.js'
import { adapterSuite } from './suite.js'

adapterSuite(
  'Hono',
  (receiver) => {
    const handle = fetchHandler(receiver)
    const app = new Hono()
    app.all('/webhooks', (c) => handle(c.req.raw))
    return listen(getRequestListener(app.fetch))
  },
  { skip: [joinedHeaders] },
)

test('a Hono middleware that parsed the body is reported in the log', async () => {
  for (const read of ['json', 'text', 'arrayBuffer'] as const) {
    const { url, ran, results, log } = await rig((receiver) => {
      const handle = fetchHandler(receiver)
      const app = new Hono()
      app.use(async (c, next) => {
        await c.req[read]()
        await next()
      })
      app.post('/webhooks', (c) => handle(c.req.raw))
      return listen(getRequestListener(app.fetch))
    })
    const answer = await deliver(url, await signed())
    expect([answer.status, answer.json]).toEqual([500, { outcome: 'failed', code: 'body_already_read' }])
    expect([ran.length, results.length]).toEqual([0, 1])
    expect(log.join()).toMatch(/body_already_read.*likely cause.*fix:/)
  }
})
