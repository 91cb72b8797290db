import * as z from 'zod'

const form = 'must be 1 to 255 visible ASCII characters'

/** The Idempotency-Key header of a POST. */
export const IdempotencyKey = z
  .string(form)
  .regex(/^[\x21-\x7e]{1,255}$/, form)
  .meta({
    description: 'The same key again returns the original result. Kept for 24 hours.',
    'x-assumed': 'G29',
  })
