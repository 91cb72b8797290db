/** An event, whichever of the two wire forms it arrived in (service interface, Event envelope). */
export interface WebhookEvent<Type extends string = string, Data = unknown> {
  /** The sender’s identifier; the one thing that makes two deliveries the same event. */
  readonly id: string
  readonly type: Type
  /** When the event happened: RFC 3339, as received. */
  readonly createdAt: string
  /** Such as `sandbox`; only the camelCase form carries it. */
  readonly environment?: string
  /** The product line; only the snake_case form carries it. */
  readonly product?: string
  /** The payload, its keys in camelCase at every depth; keys below `metadata` are the customer’s and stay. */
  readonly data: Data
  /** The form that arrived. */
  readonly representation: 'camelCase' | 'snake_case'
  /** The exact bytes that were signed. */
  readonly raw: Uint8Array
}
