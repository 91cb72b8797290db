import { body, event } from '../delivery.js'

/** The body of the tests, as other programs write it. */
export const text = body.toString()
export const pretty = JSON.stringify(event, undefined, 2)
export const sorted = JSON.stringify(event, (_, value) =>
  typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value,
)
