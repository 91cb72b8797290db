import type { RunState } from 'webhook-inbox'
import { Problem } from '../problem.js'
import type { Undone } from '../wire.js'
import { orNow, seenChangesOf, whoDid } from './as-seen.js'
import type { ActCall, Route } from './route.js'
import { stateNow } from './runs.js'

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
      if (kind !== undefined && kind !== 'event' && kind !== 'delivery') {
        throw new Problem(
          'invalid_request',
          "kind must be 'event' or 'delivery', and absent for an operation",
        )
      }
      return { undone: await (kind === undefined ? undoRun(call, of) : undoOne(call, of, kind)) }
    },
  },
]

/** Also restores no event that the operation discarded after somebody resumed it. */
function undoRun(call: ActCall, of: string): Promise<number> {
  const { receiver, audit, body } = call
  const seen = seenChangesOf<RunState>(body)
  return orNow('run_changed', withoutNames(call, receiver.undo(of, audit, { seen })), async () => {
    const handle = await receiver.findRun(of)
    return handle ? stateNow(call, handle) : 'The operation is not as it was shown.'
  })
}

/** Restores only the discard that the page showed. Somebody may have restored it and discarded it again. */
function undoOne(call: ActCall, of: string, kind: 'event' | 'delivery'): Promise<number> {
  const { receiver, audit, body } = call
  const { undoUntil } = Object(body.seen)
  if (typeof undoUntil !== 'string') {
    throw new Problem('invalid_request', 'Send the undoUntil that was shown, as seen.')
  }
  const undone = withoutNames(call, receiver.undo(of, audit, { seen: { kind, undoUntil } }))
  return orNow('discard_changed', undone, () => discardNow(call, of, kind))
}

/** How many audits are read to find who discarded a delivery. */
const mostRead = 100

/** Who discarded it again, for those who may read that. */
async function discardNow({ receiver, may }: ActCall, of: string, kind: 'event' | 'delivery') {
  const query = { limit: mostRead, ...(kind === 'event' && { eventId: of }) }
  const audits = (await may('audits:read')) ? await receiver.audits(query) : []
  const last = audits.find(({ action, key }) => action === 'discard' && (kind === 'event' || key === of))
  return `The discard that was shown has ended. ${last ? whoDid(last, 'discarded again') : 'It was discarded again.'}`
}

/** The message of the receiver names who restored or discarded it. That needs the right to read the audits. */
async function withoutNames({ may }: ActCall, undone: Promise<number>): Promise<number> {
  try {
    return await undone
  } catch (error) {
    const { code, detail } = Object(error)
    if (code !== 'wrong_state') {
      throw error
    }
    throw (await may('audits:read'))
      ? new Problem('invalid_request', String(detail), {}, true)
      : nothingRestored
  }
}

const nothingRestored = new Problem(
  'invalid_request',
  'Nothing was restored. Nothing is discarded under it, it was restored or delivered again, or its window for undo has ended.',
  {},
  true,
)
