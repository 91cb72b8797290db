/**
 * The four conditional writes. Each changes one item, so each is atomic. An item is:
 *
 *     event_key    the hash of the key            attempts     how many times it was claimed
 *     claim_token  who holds or completed it      lease_until  when its lease ends, in unix ms
 *     content_hash present once it is done        forget_at    when DynamoDB may delete it, in unix seconds
 *
 * A released item has no token. DynamoDB deletes late, so a done item is free from `forget_at` on.
 */
export interface DynamoWrite {
  readonly update: string
  readonly condition: string
}

const held = 'claim_token = :token AND attribute_not_exists(content_hash)'

export const claim: DynamoWrite = {
  update: `SET claim_token = :token, attempts = if_not_exists(attempts, :none) + :one, lease_until = :until,
    forget_at = :forget REMOVE content_hash`,
  condition: `attribute_not_exists(event_key)
    OR (attribute_exists(content_hash) AND forget_at <= :seconds)
    OR (attribute_not_exists(content_hash) AND (attribute_not_exists(claim_token) OR lease_until <= :now))`,
}

export const extend: DynamoWrite = {
  update: 'SET lease_until = :until, forget_at = :forget',
  condition: held,
}

/** Repeated under its own token, it keeps the first content hash. */
export const complete: DynamoWrite = {
  update: 'SET content_hash = if_not_exists(content_hash, :hash), forget_at = :forget',
  condition: 'claim_token = :token',
}

/** The count of claims stays. */
export const release: DynamoWrite = {
  update: 'REMOVE claim_token, lease_until',
  condition: held,
}
