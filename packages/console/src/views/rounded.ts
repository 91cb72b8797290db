import { type PayloadError, parseEvent, type StoredEvent } from 'webhook-inbox'

/** Says which number of the event a receiver with `inexactNumbers: 'round'` passes rounded to its handlers. */
export function roundedOf({ body }: StoredEvent): string | undefined {
  try {
    parseEvent(body)
    return undefined
  } catch (error) {
    const { code, detail } = error as Partial<PayloadError>
    // The only error of the data itself. A stored event has no other one.
    return code === 'invalid_data' ? detail : undefined
  }
}
