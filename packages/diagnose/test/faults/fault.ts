import type { CauseCode, DiagnoseInput } from '../../src/index.js'
import { now, secret, sign } from '../delivery.js'

/** What is changed in a good delivery, and the causes that must be named for it, each with its evidence. */
export type Fault = readonly [
  name: string,
  change: Partial<DiagnoseInput>,
  expected: Readonly<Partial<Record<CauseCode, string>>>,
]

/** The header of these bytes, with the secret of the tests. */
export const signed = (bytes: Uint8Array | string) => sign(bytes, secret.secret, now)

/** What was signed, and what has become of it. */
export const change = (from: Uint8Array | string, to: Uint8Array | string): Partial<DiagnoseInput> => ({
  header: signed(from),
  body: Buffer.from(to),
})

export const inBase64 = (bytes: Buffer) => bytes.toString('base64')
