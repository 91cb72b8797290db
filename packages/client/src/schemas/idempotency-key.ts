import * as z from 'zod'
import { idempotencyKeyPattern } from './idempotency-key-pattern.js'
import { mustBe } from './must-be.js'

const form = '1 to 255 visible ASCII characters'

/** The Idempotency-Key header of a POST. */
export const IdempotencyKey = z.string(mustBe(form)).regex(idempotencyKeyPattern, `must be ${form}`).meta({
  description: 'The same key again returns the original result. Kept for 24 hours.',
  'x-assumed': 'G29',
})
