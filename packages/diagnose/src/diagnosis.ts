import type { SignatureScheme, VerificationCode } from 'webhook-inbox'
import type { CauseCode } from './causes.js'

/** A delivery as it was captured. */
export interface CapturedDelivery {
  /** What to call it where several are given, such as the name of its file. */
  readonly name?: string | undefined
  /** The bytes exactly as they arrived. */
  readonly body: Uint8Array
  /** The value of Service-Signature; several where it was sent more than once. */
  readonly header: string | readonly string[] | undefined
  /** The value of Service-Event-Id. */
  readonly id?: string | undefined
}

/** A secret and a name for it that may be shown. */
export interface NamedSecret {
  readonly name: string
  readonly secret: string
}

export interface DiagnoseInput extends CapturedDelivery {
  /** The secret that the receiver of this delivery has. It may have white space around it: that is a fault to find. */
  readonly secret: NamedSecret
  /** Secrets of other endpoints and environments, to find out whether one of them was used instead. */
  readonly otherSecrets?: readonly NamedSecret[] | undefined
  /** Other deliveries, to find out whether header and body were mixed up. */
  readonly otherDeliveries?: readonly CapturedDelivery[] | undefined
  /** The scheme of the receiver. Default: that of `createReceiver`. */
  readonly scheme?: SignatureScheme | undefined
  /** How far `t` may lie from `now`, in seconds. Default 300. */
  readonly toleranceSeconds?: number | undefined
  /** The time to judge `t` by, in unix seconds. Default: the system clock. */
  readonly now?: number | undefined
  /** Adds the header that the receiver’s secret makes for these bytes. It is as good as a signed delivery: keep it private. */
  readonly showExpected?: boolean | undefined
  /** Called now and then with how many combinations were tried so far. */
  readonly onProgress?: ((tried: number) => void) | undefined
}

/** Why a signature is rejected: a code of the receiver, or a secret that the receiver does not even start with. */
export type RefusalCode = VerificationCode | 'event_id_mismatch' | 'invalid_secret'

export interface Diagnosis {
  /**
   * Whether the receiver accepts the signature and the event id as they were given. Decided by `verifySignature`, never by the
   * search. The receiver can still reject the body, for example because it is not an event.
   */
  readonly isAccepted: boolean
  /** Why not; absent where it is accepted. */
  readonly code?: RefusalCode
  /** One sentence that answers the question. */
  readonly summary: string
  readonly header: ExplainedHeader
  readonly body: ExplainedBody
  /** What the receiver expects, as one sentence. */
  readonly expectation: string
  /** The causes. The signature matches only if all of them are corrected. */
  readonly causes: readonly Cause[]
  /** The option of `createReceiver` that makes it match, where a cause lies in the scheme. */
  readonly schemeLine?: string
  readonly search: SearchReport
  /** The header that the receiver’s secret makes; only where it was asked for. */
  readonly expected?: string
}

export interface ExplainedHeader {
  /** Every element, in the order of the header. */
  readonly parts: readonly HeaderPart[]
  /** Why the receiver cannot read it; absent where it can. */
  readonly problem?: string
}

export interface HeaderPart {
  /** `t`, `v1`, another tag, or an empty string where the element has none. */
  readonly tag: string
  readonly value: string
  /** What it says, or what is wrong with it. */
  readonly meaning: string
}

export interface ExplainedBody {
  readonly bytes: number
  /** What the bytes look like: how JSON is laid out, how lines end, what is unusual. */
  readonly description: string
}

/** A fault whose correction makes the signature match, together with those of the other causes. */
export interface Cause {
  readonly code: CauseCode
  /** What is wrong. */
  readonly sentence: string
  /** What shows it. Never a secret or a signature. */
  readonly evidence: string
  /** What to do about it. */
  readonly fix: string
}

export interface SearchReport {
  /** How many combinations of corrections were tried. */
  readonly tried: number
  /** What was left out, and why; empty where everything was tried. */
  readonly leftOut: readonly string[]
}
