import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { expect, test } from 'vitest'
import type { StoreReason } from '../../src/errors.js'
import { redisFault } from '../../src/stores/redis/redis-fault.js'
import { TooFewReplicas } from '../../src/stores/redis/replicas.js'
import { nodeRedis, redisStore } from '../../src/stores/redis.js'

/** An error of a server, as ioredis gives it. */
const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' })

const full = 'likely cause: it is at its maxmemory; fix: raise maxmemory, claims are rejected until then'
const replica = 'likely cause: the client is connected to a replica; fix: connect it to the master'
const disk = 'likely cause: it cannot write to its disk; fix: see the log of Redis'
const password = 'likely cause: the password is wrong or missing; fix: give the client the right one'
const other = 'likely cause: something else writes keys of this prefix; fix: choose another prefix'
const busy = 'likely cause: it is busy; fix: none, it passes'
const acl =
  'likely cause: the ACL of its user; fix: allow +@scripting +@hash +@keyspace +time, and the prefix'
const down = 'likely cause: it is down or unreachable; fix: none here, the client connects again by itself'
const behind = 'likely cause: a replica is down or behind; fix: restore it, or lower minReplicas'
const closed = 'likely cause: it was never connected, or was closed; fix: await client.connect()'
const unknown = 'likely cause: see the message; fix: see the log of Redis'

test.each<[unknown, string]>([
  [reply("OOM command not allowed when used memory > 'maxmemory'."), full],
  [reply('ERR Error running script: -OOM command not allowed'), full],
  [reply("READONLY You can't write against a read only replica."), replica],
  [reply('MISCONF Redis is configured to save RDB snapshots'), disk],
  [reply('NOAUTH Authentication required.'), password],
  [reply('WRONGPASS invalid username-password pair'), password],
  [reply('WRONGTYPE Operation against a key holding the wrong kind of value'), other],
  [reply('LOADING Redis is loading the dataset in memory'), busy],
  [reply('BUSY Redis is busy running a script.'), busy],
  [reply('MASTERDOWN Link with MASTER is down'), busy],
  [reply('CLUSTERDOWN The cluster is down'), busy],
  [reply('TRYAGAIN Multiple keys request during rehashing of slot'), busy],
  [reply("NOPERM this user has no permissions to run the 'eval' command"), acl],
  [reply("ERR Error running script: can't run this command or subcommand"), acl],
  [reply("ERR unknown command 'evalsha'"), acl],
  [reply('ERR BUSYNESS is not a code'), unknown],
  [new TooFewReplicas('1 of 2 replicas had the write after 1 s'), behind],
  [new Error('Connection is closed.'), down],
  ['no error at all', down],
])('%s has its advice', (cause, advice) => {
  const { message, cause: kept } = redisFault('release a claim', cause)
  const said = cause instanceof Error ? cause.message : cause
  expect(message).toBe(`store_unavailable: Redis could not release a claim (${said}); ${advice}`)
  expect(kept).toBe(cause)
})

test.each<[unknown, StoreReason]>([
  [reply("OOM command not allowed when used memory > 'maxmemory'."), 'full'],
  [reply('MISCONF Redis is configured to save RDB snapshots'), 'full'],
  [reply('WRONGPASS invalid username-password pair'), 'denied'],
  [reply("NOPERM this user has no permissions to run the 'eval' command"), 'denied'],
  [reply('LOADING Redis is loading the dataset in memory'), 'busy'],
  [reply("READONLY You can't write against a read only replica."), 'unavailable'],
  [reply('ERR BUSYNESS is not a code'), 'unavailable'],
  [new TooFewReplicas('1 of 2 replicas had the write after 1 s'), 'unavailable'],
  [new Error('BUSY, said by no server'), 'unavailable'],
])('%s has its reason', (cause, reason) => {
  expect(redisFault('release a claim', cause).reason).toBe(reason)
})

test('too few replicas have a name', () => {
  expect(String(new TooFewReplicas('none'))).toBe('TooFewReplicas: none')
})

test('a client of node-redis that was never connected has its own advice', async () => {
  const store = redisStore({ client: nodeRedis(createClient({ disableOfflineQueue: true })) })
  await expect(store.check()).rejects.toMatchObject({
    name: 'StoreError',
    reason: 'unavailable',
    message: expect.stringContaining(`(The client is closed); ${closed}`),
  })
})

test('a client of node-redis must be wrapped', () => {
  expect(() => redisStore({ client: createClient() as never })).toThrow(
    'client is one of node-redis: wrap it, as in redisStore({ client: nodeRedis(client) })',
  )
})

const client = new Redis({ lazyConnect: true })

test.each<[object, string]>([
  [{}, 'client must be an ioredis client, as in redisStore({ client: new Redis(url) })'],
  [
    { client: { call() {} } },
    'client must be an ioredis client, as in redisStore({ client: new Redis(url) })',
  ],
  [
    { client: { pipeline() {} } },
    'client must be an ioredis client, as in redisStore({ client: new Redis(url) })',
  ],
  [{ client, prefix: 1 }, 'prefix must be a string'],
  [{ client, allowVolatile: 'yes' }, 'allowVolatile must be a boolean'],
  [{ client, minReplicas: -1 }, 'minReplicas must be a whole number of replicas, 0 for none'],
  [{ client, minReplicas: 0.5 }, 'minReplicas must be a whole number of replicas, 0 for none'],
  [{ client, replicaTimeoutSeconds: 0 }, 'replicaTimeoutSeconds must be more than 0 and at most 60'],
  [{ client, replicaTimeoutSeconds: 61 }, 'replicaTimeoutSeconds must be more than 0 and at most 60'],
  [{ client, replicas: 1 }, 'replicas is not an option of redisStore'],
])('the options %o are rejected', (options, message) => {
  expect(() => redisStore(options as never)).toThrow(message)
})

test('the limits of the options are allowed', () => {
  expect(() => redisStore({ client, minReplicas: 0, replicaTimeoutSeconds: 60, prefix: '' })).not.toThrow()
})
