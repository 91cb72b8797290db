import { fullMessage } from '../../error-text.js'
import { ConfigurationError, StoreError } from '../../errors.js'
import type { LeaseStore } from '../../store/lease.js'
import type { StoreGuarantee } from '../../store/store.js'
import { Deadline } from '../../timing/deadline.js'
import { askRedis, type RedisFacts } from './facts.js'
import { isRefusal, type RedisClient, type RedisNode } from './redis-client.js'
import { advice, isDenied, redisFault } from './redis-fault.js'
import type { RedisSettings } from './redis-options.js'

/**
 * Checks the guarantee of every master. Throws `ConfigurationError` if one of them cannot give it. Rejects an evicting
 * policy even without maxmemory, because an administrator may set maxmemory later.
 */
export function checkRedis(settings: RedisSettings, leases: LeaseStore): Promise<StoreGuarantee> {
  return inTime(settings.client, () => ask(settings, leases))
}

async function ask(settings: RedisSettings, leases: LeaseStore): Promise<StoreGuarantee> {
  const nodes = await masters(settings.client)
  const facts = await Promise.all(nodes.map(askRedis)).catch((error: unknown) => {
    throw redisFault('be asked what it keeps', error)
  })
  for (const each of facts) {
    refuseUnsupported(each)
    if (settings.allowVolatile) {
      continue
    }
    refuseEvicting(each)
    refuseVolatile(each)
  }
  await rehearse(leases)
  return guarantee(settings, facts, nodes)
}

/** How long to wait for Redis. A client that cannot connect keeps its commands, and may wait forever. */
const patienceSeconds = 5

const late = Symbol('late')

/** Rejects with `StoreError` when Redis cannot be reached. Its cause is what the client has reported, if it has. */
async function inTime<T>(client: RedisClient, work: () => Promise<T>): Promise<T> {
  let reported: Error | undefined
  const note = (error: Error) => {
    reported = error
  }
  client.on?.('error', note)
  try {
    const outcome = await new Deadline(patienceSeconds).race<T | typeof late>(work(), () => late)
    if (outcome !== late) {
      return outcome
    }
  } catch (error) {
    // If a client gives up, its error says only how often it tried.
    if (!reported || error instanceof ConfigurationError || isRefusal((error as StoreError).cause)) {
      throw error
    }
  } finally {
    client.off?.('error', note)
  }
  throw unreachable(reported)
}

function unreachable(cause: Error | undefined): StoreError {
  const detail = cause && ` (${fullMessage(cause) || (cause as { code?: string }).code || cause.name})`
  return new StoreError(
    `the Redis of redisStore did not answer${detail ?? ` within ${patienceSeconds} s`}; likely cause: it is down, unreachable or overloaded; fix: check the address of the client`,
    { cause },
  )
}

async function masters(client: RedisClient): Promise<readonly RedisNode[]> {
  if (!client.nodes) {
    return [client]
  }
  try {
    // A Cluster knows its nodes once it has answered a command.
    await client.call('ping')
  } catch (error) {
    throw redisFault('be reached', error)
  }
  return client.nodes('master')
}

function refuseUnsupported({ product, version }: RedisFacts): void {
  if (version === undefined) {
    return
  }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 6 || (major === 6 && minor >= 2)) {
    return
  }
  throw new ConfigurationError(
    'store_unsupported',
    `${product} speaks as Redis ${version}; it is older than 6.2, which this store is made for; fix: upgrade it`,
  )
}

function refuseEvicting({ product, policy }: RedisFacts): void {
  if (policy === undefined) {
    throw untold(product, 'its maxmemory-policy')
  }
  if (policy === 'noeviction') {
    return
  }
  throw new ConfigurationError(
    'store_evicts',
    `${product} has maxmemory-policy ${policy}: short of memory it drops events that are done, and they run again; ` +
      'likely cause: it is set up as a cache; fix: set maxmemory-policy noeviction, or use another Redis; ' +
      'allowVolatile: true starts all the same',
  )
}

function refuseVolatile({ product, appendOnly, snapshots }: RedisFacts): void {
  if (appendOnly) {
    return
  }
  if (appendOnly === undefined || snapshots === undefined) {
    throw untold(product, 'whether it writes to disk')
  }
  if (snapshots !== '') {
    return
  }
  throw new ConfigurationError(
    'store_volatile',
    `${product} writes nothing to disk: when it restarts, every event may run again; ` +
      'likely cause: it is set up as a cache; fix: set appendonly yes; allowVolatile: true starts all the same',
  )
}

const untold = (product: string, what: string) =>
  new ConfigurationError(
    'store_volatile',
    `${product} does not tell ${what}; likely cause: a managed server forbids CONFIG and INFO; ` +
      'fix: allow its user CONFIG GET or INFO, or see to it that it has noeviction and persistence, ' +
      'then give allowVolatile: true',
  )

/** Runs the verbs on a separate key. This finds missing rights, memory and replicas that no setting shows. */
async function rehearse(leases: LeaseStore): Promise<void> {
  const key = `check:${crypto.randomUUID()}`
  try {
    const claim = await leases.claim(key, 1)
    if (claim.state !== 'claimed') {
      throw new StoreError('a key never used before is taken')
    }
    await leases.extend(key, claim.token, 1)
    await leases.complete(key, claim.token, '', 1)
  } catch (error) {
    const { cause } = error as StoreError
    if (!isDenied(cause)) {
      throw error
    }
    const { message } = cause as Error
    throw new ConfigurationError(
      'store_unsupported',
      `Redis does not let the store work (${message}); ${advice(cause)}`,
      { cause },
    )
  }
}

function guarantee(
  { client, prefix, minReplicas }: RedisSettings,
  facts: readonly RedisFacts[],
  nodes: readonly RedisNode[],
): StoreGuarantee {
  const evicting = facts.find(({ policy }) => policy !== 'noeviction')
  const weakest = facts.map(loss).reduce((a, b) => (b.rank > a.rank ? b : a))
  const products = [...new Set(facts.map(({ product }) => product))].join(', ')
  return {
    store: client.nodes ? `${products} cluster of ${facts.length} masters` : products,
    scope: `every process on this ${client.nodes ? 'cluster' : 'Redis'} with the prefix ${prefix}`,
    processCrash: 'yes',
    hostCrash: weakest.words,
    runs:
      'once, unless it fails, outlives its lease, or dies before the event is marked done' +
      (evicting ? `, or Redis evicts the event (maxmemory-policy=${evicting.policy ?? 'not told'})` : ''),
    notes: [
      ...(facts.some(({ appendOnly, fsync }) => appendOnly && fsync === 'everysec') ? [writesLate] : []),
      ...replicaNotes(facts, minReplicas),
    ],
    warnings: nodes.every(({ options }) => options?.socketTimeout) ? [] : [withoutSocketTimeout],
  }
}

function replicaNotes(facts: readonly RedisFacts[], minReplicas: number): string[] {
  if (minReplicas > 0) {
    return [
      `an event is acknowledged only when ${minReplicas} of the replicas have it; a failover to another may forget it`,
    ]
  }
  if (!facts.some(({ replicas }) => replicas > 0)) {
    return []
  }
  return ['replication is asynchronous: a failover may forget the last events; minReplicas narrows that']
}

// Redis acknowledges a write before it gives it to the kernel, for up to 2 s, while an earlier fsync has not ended.
const writesLate =
  'Redis can forget up to 2 s also if only its process is killed while its disk is slow; appendfsync=always prevents that'

const withoutSocketTimeout =
  'the client has no socketTimeout: after a connection is cut in silence deliveries are answered 503 until TCP ' +
  'gives up, which takes minutes; fix: give it one, such as 5000'

/** What is lost if a host dies. A higher rank means a greater loss. */
function loss({ appendOnly, fsync, snapshots }: RedisFacts): { rank: number; words: string } {
  if (appendOnly) {
    return { always, everysec, no }[fsync ?? ''] ?? untoldFsync
  }
  if (snapshots) {
    return {
      rank: 4,
      words: `what came after the last snapshot may be lost, because Redis appendonly=no and save=${snapshots}`,
    }
  }
  if (appendOnly === undefined || snapshots === undefined) {
    return { rank: 5, words: 'not known, because Redis does not tell whether it writes to disk' }
  }
  return { rank: 6, words: 'no, because Redis writes nothing to disk' }
}

const always = { rank: 0, words: 'yes' }
const everysec = { rank: 1, words: 'up to 2 s may be lost, because Redis appendfsync=everysec' }
const untoldFsync = { rank: 2, words: 'a second or more may be lost; Redis does not tell its appendfsync' }
const no = { rank: 3, words: 'half a minute or so may be lost, because Redis appendfsync=no' }
