import { streamSSE } from 'hono/streaming'
import type { Api } from '../api/app.js'
import type { Service } from '../service.js'
import type { FeedMessage } from './feed.js'

/** A comment is sent this often. It keeps a connection through a proxy, and detects a reader that has left. */
const heartbeatMilliseconds = 15_000
/** A reader with more unread messages is disconnected. It resumes with `Last-Event-ID`. */
const maxUnread = 2000

/**
 * `GET stream`: server-sent events. A reader that reconnects with `Last-Event-ID` gets the messages that it missed. If they
 * are no longer kept, it gets `reset` first and must read everything again.
 */
export function streamRoute(app: Api, { feed }: Service): void {
  app.get('/_sandbox/stream', (c) => {
    const lastId = c.req.header('last-event-id')
    return streamSSE(c, async (stream) => {
      const waiting: FeedMessage[] = []
      let wake = () => {}
      const unfollow = feed.follow((message) => {
        waiting.push(message)
        if (waiting.length > maxUnread) {
          stream.abort()
        }
        wake()
      })
      stream.onAbort(() => {
        unfollow()
        wake()
      })
      const missed = lastId === undefined ? [] : feed.since(lastId)
      if (missed) {
        waiting.unshift(...missed)
      } else {
        await stream.writeSSE({ event: 'reset', data: '{}' })
      }
      const heartbeat = setInterval(() => void stream.write(':\n\n'), heartbeatMilliseconds)
      await stream.write(':\n\n')
      while (!stream.aborted) {
        for (const { id, type, data } of waiting.splice(0)) {
          await stream.writeSSE({ id, event: type, data: JSON.stringify(data) })
        }
        if (waiting.length > 0 || stream.aborted) {
          continue
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      clearInterval(heartbeat)
      unfollow()
    })
  })
}
