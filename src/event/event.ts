/** An event, from either of the two forms of the service interface. */
export interface WebhookEvent<Type extends string = string, Data = unknown> {
  /** The sender’s identifier. Two deliveries with the same id are the same event. */
  readonly id: string
  readonly type: Type
  /** When the event happened: RFC 3339, as received. */
  readonly createdAt: string
  /** Such as `sandbox`. Only the camelCase form has it. */
  readonly environment?: string
  /** The product line. Only the snake_case form has it. */
  readonly product?: string
  /** The payload, with keys in camelCase at every depth. Keys below `metadata` belong to the customer and are unchanged. */
  readonly data: Data
  /** The form in which the event arrived. */
  readonly representation: 'camelCase' | 'snake_case'
  /** A copy of the exact bytes that were signed. */
  readonly raw: Uint8Array
}
