import type { ReadEvent } from '../event/parse.js'

/** A delivery that is the sender’s, as far as it could be read. */
export interface Authentic extends ReadEvent {
  /** Which of the secrets made the signature; absent for what comes from the inbox. */
  readonly secretIndex?: number
}

/** A delivery that is the sender’s and cannot be acted on: of one that cannot be read, only the bytes are known. */
export type Unusable =
  | Authentic
  | (Partial<Authentic> & { readonly body: Uint8Array; readonly detail?: string | undefined })
