/** Why the bank rejects, as the `code` of the problem document. */
export type RefusalCode =
  | 'approval_decided'
  | 'currency_mismatch'
  | 'impossible_transition'
  | 'insufficient_funds'
  | 'not_found'
  | 'same_wallet'
  | 'unknown_destination_type'
  | 'unknown_network'
  | 'unknown_rail'
  | 'wallet_not_found'

/** The bank cannot do this operation. Nothing was changed. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** The invalid field. */
  readonly param: string | undefined

  constructor(code: RefusalCode, message: string, param?: string) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.param = param
  }
}
