import { Problem } from '../problem.js'
import type { BulkAction, Edited, Replayed, RunView } from '../wire.js'
import { eventOf } from './events.js'
import type { ActCall, Route } from './route.js'
import { runView } from './runs.js'

export const eventActs: readonly Route[] = [
  {
    method: 'POST',
    path: '/events/:id/replay',
    action: 'events:replay',
    async run({ receiver, param, audit }): Promise<Replayed> {
      const { id } = await eventOf(receiver, param('id'))
      return { generation: await receiver.replay(id, audit) }
    },
  },
  {
    method: 'POST',
    path: '/events/:id/discard',
    action: 'events:discard',
    async run({ receiver, param, audit }): Promise<object> {
      const { id } = await eventOf(receiver, param('id'))
      await receiver.discard(id, audit)
      return {}
    },
  },
  {
    method: 'POST',
    path: '/events/:id/retry-now',
    action: 'events:retry',
    run: (call) =>
      runForOne(call, 'retryNow', 'Only an event that failed and waits for its next try is tried now.'),
  },
  {
    method: 'POST',
    path: '/events/:id/give-up',
    action: 'events:give-up',
    run: (call) => runForOne(call, 'giveUp', 'Only an event that still runs or waits can be given up.'),
  },
  {
    method: 'POST',
    path: '/events/:id/replay-edited',
    action: 'events:edit',
    async run({ receiver, options, param, body: { body }, audit }): Promise<Edited> {
      if (options.mask) {
        throw new Problem('masked_body', 'The copy would hold the mask in place of the values behind it.')
      }
      if (typeof body !== 'string') {
        throw new Problem('invalid_request', 'body must be the whole event as text')
      }
      const { id } = await eventOf(receiver, param('id'))
      return { id: await receiver.replayEdited(id, { body }, audit) }
    },
  },
]

/** How long an act waits for its run to end. */
const patienceMilliseconds = 2000

/** Does what a bulk run does, with one event. A process that runs events applies it. */
async function runForOne(
  { receiver, param, audit }: ActCall,
  action: BulkAction,
  otherwise: string,
): Promise<RunView> {
  const { id } = await eventOf(receiver, param('id'))
  const plan = await receiver.plan({ action, where: { id } })
  if (plan.count === 0) {
    throw new Problem('invalid_request', otherwise)
  }
  const run = await receiver.run(plan, { ...audit, canary: 0 })
  const start = performance.now()
  for (;;) {
    const progress = await run.progress()
    if (progress.endedAt !== undefined || performance.now() - start > patienceMilliseconds) {
      return runView(progress)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
