import { codes, fixOf } from '../codes.js'
import type { Settings } from '../options/settings.js'
import type { ReceiveResult } from '../result.js'

const schema = 'correct the schema and replay the event'

/** For a store that keeps no events. */
const schemaOnly = 'correct the schema; the sender delivers again'

const asText = 'ask the sender to send the number as a string'

const round = "set inexactNumbers: 'round'"

/**
 * What to do about `invalid_data`. The code stands for two faults: data that does not fit its schema, and a number that JavaScript
 * cannot represent exactly. Only the first has an event, because a body with such a number is not read to its end.
 */
export function fixOfData(
  { event, outcome, source }: ReceiveResult,
  { queue, inexactNumbers }: Pick<Settings, 'queue' | 'inexactNumbers'>,
): string {
  if (event && outcome === 'rejected' && source !== 'queue') {
    return schemaOnly
  }
  if (event) {
    return fixOf({ ...codes.invalid_data, fix: schema }, queue !== undefined)
  }
  // The number is beyond the range of JavaScript.
  if (inexactNumbers === 'round') {
    return asText
  }
  if (source === 'queue') {
    return `${round} and replay the event, or ${asText}`
  }
  return outcome === 'quarantined'
    ? `${asText}, or ${round} and verify again (webhook-inbox inbox verify-again)`
    : `${asText}, or ${round}; the sender delivers again`
}
