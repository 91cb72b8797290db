import { nearest } from '../nearest.js'

/** The fields of an envelope, in both forms. */
const ofEnvelope = ['id', 'type', 'createdAt', 'created_at', 'data', 'environment', 'product']

/**
 * Warnings for fields of `--set` that the event does not have at its top. A receiver ignores them, so a forgotten `data.` would not
 * be noticed.
 */
export function doubtfulFields(event: Record<string, unknown>, fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    const path = field.slice(0, field.indexOf('='))
    const [name = ''] = path.split('.')
    if (ofEnvelope.includes(name) || Object.hasOwn(event, name)) {
      return []
    }
    const isOfData = typeof event.data === 'object' && event.data !== null && Object.hasOwn(event.data, name)
    const meant = (!isOfData && nearest(name, ofEnvelope)) || `data.${path}`
    return [`--set ${path}: an event has no field ${name} beside its data; did you mean --set ${meant}=...?`]
  })
}
