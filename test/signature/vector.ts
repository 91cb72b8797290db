import { ConfigurationError, VerificationError } from '../../src/errors.js'
import { type VerifyInput, verifySignature } from '../../src/signature/verify-signature.js'

export const now = 1_700_000_000

export const secret = 'whsec_test_secret'

export const body = new TextEncoder().encode('{"id":"evt_123","type":"transfer.settled"}')

export const digest = 'a2a06a28d8d674d752c96b698c8d44de83cfa2353cea7f336f62d729b94d3191'

export const header = `t=${now},v1=${digest}`

/** The result of a verification, or the code of its error. */
export async function outcome(input: Partial<VerifyInput>): Promise<unknown> {
  try {
    return await verifySignature({ body, header, secret, now, ...input })
  } catch (error) {
    if (error instanceof VerificationError || error instanceof ConfigurationError) {
      return error.code
    }
    throw error
  }
}

export const accepted = { timestamp: now, secretIndex: 0 }
