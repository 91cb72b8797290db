import type { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Changes } from './changes.js'
import type { Env } from './env.js'
import { requireRight, rightOf } from './guard/authorize.js'
import { requireSameOrigin } from './guard/same-origin.js'
import type { Resolved } from './options.js'
import { Problem } from './problem.js'
import type { Change, Lost, ProblemCode } from './wire.js'

/**
 * `GET api/stream`: server-sent events. Each event only says that something changed, and the page reads its view again. So a
 * reader that reconnects needs no history: if its `Last-Event-ID` is not the newest id, it gets the newest event. A beat has no
 * id: the page reads again what changes without an event, such as when a process was last seen. A
 * pulse says only that the program lives: a frozen program keeps its connections open. A stream ends when its reader loses the
 * right, when the program stops, and when the store or `authorize` does not respond. It says the last two before.
 */
export function streamRoute(app: Hono<Env>, options: Resolved, changes: Changes): void {
  app.get('/api/stream', async (c) => {
    requireSameOrigin(c.req.raw, 'view')
    await requireRight(options, c.env.caller, 'overview:read')
    if (changes.hasEnded) {
      throw new Problem('stopping', 'This program is stopping. The page connects again automatically.')
    }
    if (changes.isLost && !(await changes.isBack())) {
      throw new Problem(changes.lostBy, 'The store did not respond. The page connects again automatically.')
    }
    const { caller } = c.env
    let right: boolean | Problem = true
    async function mayStay(): Promise<boolean> {
      right = await rightOf(options, caller, 'overview:read')
      return right === true
    }
    const mayRead = () => right === true
    /** What the page cannot know when the stream ends. */
    const whyLost = (): ProblemCode | undefined =>
      changes.isLost ? changes.lostBy : right instanceof Problem ? right.code : undefined
    let sent = c.req.header('last-event-id')
    const response = streamSSE(c, async (stream) => {
      let wake = () => {}
      const unfollow = changes.follow(() => wake())
      stream.onAbort(() => wake())
      const beat = async () => {
        if (await mayStay()) {
          await stream.writeSSE({ event: 'beat', data: JSON.stringify(now()) })
        } else {
          wake()
        }
      }
      const heartbeat = setInterval(() => void beat(), options.limits.heartbeatSeconds * 1000)
      const pulse = setInterval(
        () => void stream.writeSSE({ event: 'pulse', data: '1' }),
        options.limits.pulseSeconds * 1000,
      )
      try {
        await stream.write('retry: 2000\n\n')
        while (mayRead() && !stream.aborted && !changes.hasEnded && !changes.isLost) {
          const { id } = changes
          if (id !== sent) {
            if (!(await mayStay())) {
              break
            }
            sent = id
            await stream.writeSSE({ id, event: 'change', data: JSON.stringify(now()) })
            continue
          }
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        const code = whyLost()
        if (code) {
          const lost: Lost = { ...now(), code }
          await stream.writeSSE({ event: 'lost', data: JSON.stringify(lost) })
        }
      } finally {
        clearInterval(heartbeat)
        clearInterval(pulse)
        unfollow()
      }
    })
    // The server could not close if a connection stayed open after its stream.
    response.headers.set('Connection', 'close')
    return response
  })
}

const now = (): Change => ({ at: new Date().toISOString() })
