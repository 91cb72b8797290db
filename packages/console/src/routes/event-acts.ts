import type { Replayed } from '../wire.js'
import { eventOf } from './events.js'
import type { Route } from './route.js'

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
]
