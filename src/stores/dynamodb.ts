import { sha256 } from '#crypto'
import { ConfigurationError, invalidOption } from '../errors.js'
import { givenOptions, hasMethods } from '../given-options.js'
import { type Claim, type LeaseStore, leaseStore } from '../store/lease.js'
import type { Store, StoreGuarantee } from '../store/store.js'
import type { DynamoClient, DynamoItem, DynamoValue } from './dynamodb/dynamo-client.js'
import { dynamoFault, isFault } from './dynamodb/dynamo-fault.js'
import * as writes from './dynamodb/dynamo-writes.js'

export type {
  DynamoClient,
  DynamoItem,
  DynamoRead,
  DynamoUpdate,
  DynamoValue,
} from './dynamodb/dynamo-client.js'

export interface DynamoStoreOptions {
  /** A `DynamoDB` of `@aws-sdk/client-dynamodb` 3. You destroy it yourself. Required. */
  readonly client: DynamoClient
  /** The name of the table. Its partition key is the string `event_key`. Required. */
  readonly table: string
}

/**
 * Keeps events in a table of DynamoDB, for every function and process of one region. For each event it keeps two hashes,
 * of its id and of its content. It never keeps an id, a body or a secret. DynamoDB deletes them by the TTL attribute
 * `forget_at`, so `prune` does nothing and resolves to 0.
 *
 * DynamoDB cannot compare a time with its own clock. So the clock of each process decides whether the lease of another process
 * has ended. If a clock is ahead by more than `leaseSeconds` minus `handlerTimeoutSeconds` (50 s by default), an event can run
 * twice.
 *
 * `check` rejects with `store_not_migrated` if the table is missing or has another key. Throws `ConfigurationError`
 * (`invalid_option`, `unknown_option`). Any error of DynamoDB or of the client becomes a `StoreError` with its `cause`.
 *
 * @example
 * const store = dynamoStore({ client: new DynamoDB(), table: 'webhook-inbox' })
 */
export function dynamoStore(options: DynamoStoreOptions): Store {
  return leaseStore(dynamoLeases(options))
}

/**
 * The four verbs of {@link dynamoStore}, to build your own store on them.
 *
 * @example
 * const leases = dynamoLeases({ client: new DynamoDB(), table: 'webhook-inbox' })
 */
export function dynamoLeases(options: DynamoStoreOptions): LeaseStore {
  givenOptions('dynamoStore', options, ['client', 'table'])
  const { client, table } = options
  if (!hasMethods('client', client, 'getItem', 'updateItem')) {
    throw invalidOption('client must be a DynamoDB of @aws-sdk/client-dynamodb, not a DynamoDBClient')
  }
  if (typeof table !== 'string' || table === '') {
    throw invalidOption('table must be the name of a table')
  }

  // A key of DynamoDB is neither empty nor longer than 2048 bytes.
  const keyOf = async (key: string) => ({ event_key: { S: await sha256(key) } })

  const find = async (key: string): Promise<DynamoItem> => {
    const { Item } = await client.getItem({ TableName: table, Key: await keyOf(key), ConsistentRead: true })
    return Item ?? {}
  }

  /** Returns the item after the write, or nothing if the condition does not hold. */
  async function write(
    { update, condition }: writes.DynamoWrite,
    key: string,
    values: Record<string, DynamoValue>,
  ): Promise<DynamoItem | undefined> {
    try {
      const { Attributes } = await client.updateItem({
        TableName: table,
        Key: await keyOf(key),
        UpdateExpression: update,
        ConditionExpression: condition,
        ExpressionAttributeValues: values,
        ReturnValues: 'ALL_NEW',
      })
      return Attributes ?? {}
    } catch (error) {
      if (isFault(error, 'ConditionalCheckFailedException')) {
        return undefined
      }
      throw error
    }
  }

  async function change(
    doing: string,
    how: writes.DynamoWrite,
    key: string,
    values: Record<string, DynamoValue>,
  ) {
    try {
      return (await write(how, key, values)) !== undefined
    } catch (error) {
      throw dynamoFault(doing, error)
    }
  }

  return {
    async claim(key, leaseSeconds): Promise<Claim> {
      const token = crypto.randomUUID()
      const now = Date.now()
      try {
        const values = { ':now': N(now), ':seconds': N(Math.floor(now / 1000)), ':none': N(0), ':one': N(1) }
        const own = await write(writes.claim, key, { ...values, ':token': S(token), ...lease(leaseSeconds) })
        const found = own ?? (await find(key))
        // The client repeats a request if the reply was lost. Then the existing claim is this one.
        if (own || found.claim_token?.S === token) {
          return { state: 'claimed', token, attempt: Number(found.attempts?.N) }
        }
        return hindrance(found)
      } catch (error) {
        throw dynamoFault('claim an event', error)
      }
    },

    extend: (key, token, leaseSeconds) =>
      change('extend a claim', writes.extend, key, { ':token': S(token), ...lease(leaseSeconds) }),

    complete(key, token, contentHash, retentionSeconds) {
      const values = { ':token': S(token), ':hash': S(contentHash), ':forget': forgetAt(retentionSeconds) }
      return change('mark an event done', writes.complete, key, values)
    },

    release: (key, token) => change('release a claim', writes.release, key, { ':token': S(token) }),

    async check() {
      try {
        // Needs both rights, and changes nothing, because no item has this token.
        await find('')
        await write(writes.release, '', { ':token': S('nobody') })
      } catch (error) {
        throw isFault(error, 'ResourceNotFoundException', 'ValidationException')
          ? new ConfigurationError('store_not_migrated', notMigrated(table), { cause: error })
          : dynamoFault('answer', error)
      }
      return guarantee
    },

    prune: async () => 0,
    async close() {},
  }
}

function hindrance(found: DynamoItem): Claim {
  if (found.content_hash?.S !== undefined) {
    return { state: 'done', contentHash: found.content_hash.S }
  }
  const remainingMs = Number(found.lease_until?.N ?? 0) - Date.now()
  return { state: 'leased', remainingSeconds: Math.max(0, remainingMs) / 1000 }
}

const notMigrated = (table: string) =>
  `this region has no table ${table} with the partition key event_key, a string, and no sort key; create it`

/** How long the count of attempts of an event is kept after its lease has ended without a completion. */
const abandonedSeconds = 30 * 86_400

/** Longer than any lease or retention. JavaScript can represent it exactly. */
const longestSeconds = 2 ** 38

const S = (value: string) => ({ S: value })
const N = (value: number) => ({ N: String(value) })

const forgetAt = (seconds: number) => N(Math.ceil(Date.now() / 1000 + Math.min(seconds, longestSeconds)))

const lease = (seconds: number) => ({
  ':until': N(Date.now() + Math.ceil(Math.min(seconds, longestSeconds) * 1000)),
  ':forget': forgetAt(seconds + abandonedSeconds),
})

const guarantee: StoreGuarantee = {
  store: 'DynamoDB',
  scope: 'every process that uses this table in this region',
  processCrash: 'yes',
  hostCrash: 'yes, as far as DynamoDB keeps what it has confirmed',
  runs: 'once, unless its process ends, or outlives its lease, between the effect and the mark',
}
