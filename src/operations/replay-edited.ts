import { codeWithDetail } from '../codes.js'
import { invalidOption, type PayloadError } from '../errors.js'
import { type ReadEvent, tryReadEvent } from '../event/parse.js'
import { replaceValues } from '../event/replace-values.js'
import { givenOptions, readable } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Audit } from '../store/inbox.js'
import { acceptAgain, type Reason, readAgain } from './accept-again.js'
import { copiesOf, missing, type ReplayOptions, seenOf } from './change-events.js'
import { requireAudit } from './check-arguments.js'
import { exactJson } from './exact-json.js'
import { capability, eventKey, inboxOf, queueFor } from './inbox-of.js'

/** What changes in a copy of an event: the whole body, as JSON, or only its data. */
export type Edit =
  | { readonly body: string | Uint8Array; readonly data?: undefined }
  | { readonly data: unknown; readonly body?: undefined }

/** The same conditions as for a replay. */
export type EditOptions = ReplayOptions

/** The method that runs a changed copy of an event. */
export interface EditOperations {
  /**
   * Accepts a changed copy of an event as a new event. The copy has a new id, and `parent` is the id of the original event.
   * The sender has not signed the copy. It is checked like a delivery: size, envelope, environment and schema. It runs after
   * the events of its resource that were accepted before. The original event does not change, so without `copies` each call
   * makes one more copy, and each copy runs. Resolves to the new id.
   *
   * Rejects with `event_not_found` for an unknown event, and with `invalid_option` for a body or data that no delivery could have. It also rejects
   * data that JSON would change, such as NaN or a Date. It leaves out properties that are undefined.
   *
   * With `seen`, rejects with `ConflictError` `event_changed` if somebody replayed or discarded the original since the caller
   * looked at it. Another edit is no such change: `copies` detects it.
   */
  replayEdited(eventId: string, edit: Edit, audit: Audit, options?: EditOptions): Promise<string>
}

export function editOperations(settings: Settings): EditOperations {
  return {
    async replayEdited(eventId, edit, audit, options = {}) {
      requireAudit('replayEdited', audit)
      const asked = givenOptions('replayEdited', options, ['seen', 'copies'])
      const [seen, copies] = [seenOf(asked), copiesOf(asked)]
      queueFor('replayEdited needs a queue that runs the event', settings)
      capability(settings, 'bulk')
      const given = givenOptions('replayEdited', edit, ['body', 'data'])
      const parent = await inboxOf(settings).read(await eventKey(settings, 'eventId', eventId))
      if (!parent) {
        throw missing(eventId, seen)
      }
      const read = usable(await readAgain(settings, edited(given, parent.body, settings)))
      await acceptAgain(settings, read, { parent: eventId, parentKey: parent.key, seen, copies }, audit)
      return read.event.id
    },
  }
}

/** The body of the copy, with an id that no sender uses. Everything else stays as it is written. */
function edited(given: Record<string, unknown>, original: Uint8Array, settings: Settings): Uint8Array {
  if ('body' in given === 'data' in given) {
    throw invalidOption('replayEdited takes either body or data')
  }
  const text = 'body' in given ? given.body : original
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) {
    throw invalidOption('body must be a string or bytes')
  }
  if (typeof text === 'string' && !text.isWellFormed()) {
    throw invalidOption('body has a lone surrogate, which UTF-8 cannot express; fix: escape it as JSON does')
  }
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const read = tryReadEvent(bytes, settings.inexactNumbers)
  // No schema is checked yet, so a number is at fault.
  if ('code' in read && read.code === 'invalid_data') {
    throw invalidOption(`the edited event is invalid_data: ${read.detail}; fix: write it as a string`)
  }
  usable(read)
  const copy = replaceValues(new TextDecoder().decode(bytes), {
    id: `evt_edited_${crypto.randomUUID().replaceAll('-', '')}`,
    ...('data' in given && { data: readable('data', () => exactJson(given.data, 'data')) }),
  })
  return new TextEncoder().encode(copy)
}

function usable(read: ReadEvent | PayloadError | Reason): ReadEvent {
  if ('code' in read) {
    throw invalidOption(`the edited event is ${codeWithDetail(read.code, read.detail)}`)
  }
  return read
}
