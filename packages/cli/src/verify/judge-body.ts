import type { PayloadCode } from 'webhook-inbox'

/** Why a receiver rejects or quarantines a body whose signature matches. */
export interface BodyFault {
  readonly code: PayloadCode
  readonly sentence: string
}

/** Parses the body as a receiver with default options does. `undefined` if it is an event. */
export async function judgeBody(body: Uint8Array): Promise<BodyFault | undefined> {
  const { codes, PayloadError, parseEvent } = await import('webhook-inbox')
  try {
    parseEvent(body)
    return undefined
  } catch (error) {
    if (!(error instanceof PayloadError)) {
      throw error
    }
    const { code, detail } = error
    if (code === 'invalid_data') {
      return { code, sentence: `${detail}, and \`inexactNumbers\` is not 'round'` }
    }
    return { code, sentence: `${codes[code].fact}${detail === undefined ? '' : ` (${detail})`}` }
  }
}
