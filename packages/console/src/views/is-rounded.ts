import { parseEvent, type StoredEvent } from 'webhook-inbox'

/** Whether the event has a number that a receiver with `inexactNumbers: 'round'` passes rounded to its handlers. */
export function isRounded({ body }: StoredEvent): boolean {
  try {
    parseEvent(body)
    return false
  } catch (error) {
    // The only error of the data itself. A stored event has no other one.
    return (error as { code?: unknown }).code === 'invalid_data'
  }
}
