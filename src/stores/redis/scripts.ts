/**
 * One script a verb, each on one key, so that a verb is atomic and works on a Cluster. A key is a hash:
 *
 *     a  how many times it was claimed        t  the id of the token that holds it, or that completed it
 *     u  when its lease ends, in unix ms      h  the content hash: there once it is done
 *
 * A released key keeps `a` alone. Time is the server’s, so that no client’s clock can end another’s lease.
 */

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * ARGV: token id, lease in ms, ms until an abandoned key is forgotten. A claim repeated under its own token id is the
 * same claim: ioredis sends a command again when the connection broke before its answer, and without this the first
 * sending would lock out the second.
 */
export const claim = `${now}
local found = redis.call('HMGET', KEYS[1], 'h', 't', 'u', 'a')
if found[1] then return {'done', found[1]} end
local isOurs = found[2] == ARGV[1]
if found[2] and not isOurs and tonumber(found[3]) > now then return {'leased', tonumber(found[3]) - now} end
local attempt = tonumber(found[4] or 0)
if not isOurs then attempt = attempt + 1 end
redis.call('HSET', KEYS[1], 'a', attempt, 't', ARGV[1], 'u', string.format('%.0f', now + ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'claimed', attempt}
`

/**
 * ARGV: token id, lease in ms, ms until an abandoned key is forgotten. PEXPIRE comes first here and in `complete`: it
 * needs no memory, and once a script has written, a Redis at its maxmemory lets it finish. A claim in use can so be
 * kept and completed while Redis refuses new ones.
 */
export const extend = `${now}
local found = redis.call('HMGET', KEYS[1], 'h', 't')
if found[1] or found[2] ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'u', string.format('%.0f', now + ARGV[2]))
return 1
`

/**
 * ARGV: token id, content hash, retention in ms. Repeated under its own token it writes again, for WAIT counts the
 * replicas that have this connection’s last write, and the repetition may come over another connection.
 */
export const complete = `
local found = redis.call('HMGET', KEYS[1], 'h', 't')
if found[2] ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if found[1] then return 1 end
redis.call('HSET', KEYS[1], 'h', ARGV[2])
redis.call('HDEL', KEYS[1], 'u')
return 1
`

/** ARGV: token id. The count of claims stays. HDEL needs no memory. */
export const release = `
local found = redis.call('HMGET', KEYS[1], 'h', 't')
if found[1] or found[2] ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 't', 'u')
return 1
`
