import { IdempotencyKey } from 'webhook-inbox-client/schemas'
import * as z from 'zod'

/** The header that every POST accepts. `guardKey` has checked it before. */
export const idempotencyHeader = z.object({ 'Idempotency-Key': IdempotencyKey.optional() })
