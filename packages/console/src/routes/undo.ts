import { Problem } from '../problem.js'
import type { Undo, Undone } from '../wire.js'
import type { ActCall, Route } from './route.js'

export const undoRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/undo',
    isInParts: true,
    action: 'events:discard',
    async run(call): Promise<Undone> {
      const { of, kind } = call.body
      if (typeof of !== 'string' || of === '') {
        throw new Problem('invalid_request', 'of must be an id or a key')
      }
      return { undone: await undo(call, of, kind as Undo['kind']) }
    },
  },
]

/** The message of the receiver names who restored or discarded it. That needs the right to read the audits. */
async function undo({ receiver, audit, may }: ActCall, of: string, kind: Undo['kind']): Promise<number> {
  try {
    return await receiver.undo(of, audit, { kind })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'invalid_option' || (await may('audits:read'))) {
      throw error
    }
    throw nothingRestored
  }
}

const nothingRestored = new Problem(
  'invalid_request',
  'Nothing was restored. Nothing is discarded under it, it was restored or delivered again, or its window for undo has ended.',
)
