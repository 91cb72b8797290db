import type { QuarantineRow } from '../../../src/wire.js'
import { digits } from '../digits.js'

type Named = { readonly [Part in 'eventId' | 'idInBody' | 'bytes']?: QuarantineRow[Part] | undefined }

/** The name of a delivery in every list. */
export const deliveryName = ({ eventId, idInBody, bytes = 0 }: Named): string =>
  eventId ?? (idInBody ? `id in the body: ${idInBody}` : `id unknown, ${digits(bytes)} bytes`)
