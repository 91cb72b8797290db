import type { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Changes } from './changes.js'
import type { Env } from './console-app.js'
import { requireRight } from './guard/authorize.js'
import { requireSameOrigin } from './guard/same-origin.js'
import type { Resolved } from './options.js'
import type { Change } from './wire.js'

/** At this pace a comment keeps the connection through a proxy, and the rights of its reader are asked for again. */
const heartbeatMilliseconds = 30_000

/**
 * `GET api/stream`: server-sent events. Each says only that something changed; the page then reads its view anew. So a
 * reader that comes back needs no history: where its `Last-Event-ID` is not the newest mark, it gets the newest one.
 */
export function streamRoute(app: Hono<Env>, options: Resolved, changes: Changes): void {
  app.get('/api/stream', async (c) => {
    requireSameOrigin(c.req.raw, false)
    await requireRight(options, c.env.caller, 'overview:read')
    const { caller } = c.env
    const lastId = c.req.header('last-event-id')
    return streamSSE(c, async (stream) => {
      let wake = () => {}
      let sent = lastId
      const unfollow = changes.follow(() => wake())
      stream.onAbort(() => wake())
      const heartbeat = setInterval(() => {
        requireRight(options, caller, 'overview:read')
          .then(() => stream.write(':\n\n'))
          .catch(() => stream.abort())
      }, heartbeatMilliseconds)
      try {
        await stream.write('retry: 2000\n\n')
        while (!stream.aborted) {
          const { id } = changes
          if (id !== sent) {
            sent = id
            const change: Change = { at: new Date().toISOString() }
            await stream.writeSSE({ id, event: 'change', data: JSON.stringify(change) })
            continue
          }
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      } finally {
        clearInterval(heartbeat)
        unfollow()
      }
    })
  })
}
