import fc from 'fast-check'
import { VerificationError } from '../../src/errors.js'
import type { SignatureScheme } from '../../src/signature/scheme.js'
import { signPayload } from '../../src/signature/sign.js'
import { type Verified, verifySignature } from '../../src/signature/verify-signature.js'

/** Signed deliveries of any body in any scheme, and their verdict. */

export const now = 1_700_000_000
export const secret = 'whsec_fuzz'
export const id = 'evt_fuzz'

export interface Delivery {
  body: Uint8Array
  header: unknown
  t: number
  scheme: SignatureScheme
  id: string | undefined
}

/** The acceptance, or the code of a VerificationError. Any other error fails the test. */
export async function judge(delivery: Omit<Delivery, 't'>): Promise<Verified | string> {
  const { body, header, scheme, id } = delivery
  try {
    const headerValue = header as string
    return await verifySignature({
      body,
      header: headerValue,
      secret,
      scheme,
      now,
      toleranceSeconds: 1e12,
      allowLongTolerance: true,
      ...(id !== undefined && { id }),
    })
  } catch (error) {
    if (error instanceof VerificationError) {
      return error.code
    }
    throw error
  }
}

export const schemes = fc.record({
  content: fc.constantFrom('timestamp.body', 'id.timestamp.body', 'body'),
  encoding: fc.constantFrom('hex', 'base64', 'base64url'),
}) as fc.Arbitrary<SignatureScheme>

export const interestingText = fc.constantFrom(
  '{"id":"evt_1","amount":1.0}',
  '{"amount":"10.00","name":"Zo\u00eb"}',
  '1.{"a":1}',
  '12345.{"a":1}',
  '.',
  '',
  '\ufeff{}',
  '{"a":"\\u00e9"}',
  'évt\u{1f4b8}',
)
export const bodies = fc.oneof(
  { weight: 2, arbitrary: interestingText.map((text) => new Uint8Array(Buffer.from(text))) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => new Uint8Array(Buffer.from(text))),
  },
)
export const timestamps = fc.oneof(fc.constant(now), fc.integer({ min: 0, max: 999_999_999_999 }), fc.nat(99))

export async function sign(
  scheme: SignatureScheme,
  body: Uint8Array,
  timestamp: number,
  eventId = id,
): Promise<Delivery> {
  const header = await signPayload({ body, secret, timestamp, scheme, id: eventId })
  return { body, header, t: timestamp, scheme, id: eventId }
}
