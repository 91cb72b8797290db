/**
 * One script for each verb, each on one key, so that a verb is atomic and works on a Cluster. A key is a hash:
 *
 *     a  how many times it was claimed        t  the id of the token that holds it, or that completed it
 *     u  when its lease ends, in unix ms      s  how long its lease is, in ms
 *     h  the content hash; present once it is done
 *
 * A released key keeps only `a`. Time is the server’s, so that no client’s clock can end another’s lease.
 */

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * ARGV: token id, lease in ms, ms until an abandoned key is forgotten. ioredis sends a command again when the connection
 * broke before its reply. So a claim repeated under its own token id is the same claim.
 *
 * A lease that ends later than its span allows was taken before the clock was set back. It is cut to its span.
 */
export const claim = `${now}
local found = redis.call('HMGET', KEYS[1], 'h', 't', 'u', 'a', 's')
if found[1] then return {'done', found[1]} end
local isOurs = found[2] == ARGV[1]
if found[2] and not isOurs then
  local span = tonumber(found[5] or ARGV[2])
  local remaining = tonumber(found[3]) - now
  if remaining > span then
    remaining = span
    redis.call('HSET', KEYS[1], 'u', string.format('%.0f', now + span))
  end
  if remaining > 0 then return {'leased', remaining} end
end
local attempt = tonumber(found[4] or 0)
if not isOurs then attempt = attempt + 1 end
redis.call('HSET', KEYS[1], 'a', attempt, 't', ARGV[1], 'u', string.format('%.0f', now + ARGV[2]), 's', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'claimed', attempt}
`

/**
 * ARGV: token id, lease in ms, ms until an abandoned key is forgotten. PEXPIRE comes first here and in `complete`,
 * because it needs no memory: once a script has written, a Redis at its maxmemory lets it finish. So a claim in use can
 * be kept and completed while Redis rejects new ones.
 */
export const extend = `${now}
local found = redis.call('HMGET', KEYS[1], 'h', 't')
if found[1] or found[2] ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'u', string.format('%.0f', now + ARGV[2]), 's', ARGV[2])
return 1
`

/**
 * ARGV: token id, content hash, retention in ms. Repeated under its own token it writes again: WAIT counts the
 * replicas that have this connection’s last write, and the repetition may use another connection.
 */
export const complete = `
local found = redis.call('HMGET', KEYS[1], 'h', 't')
if found[2] ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if found[1] then return 1 end
redis.call('HSET', KEYS[1], 'h', ARGV[2])
redis.call('HDEL', KEYS[1], 'u', 's')
return 1
`

/** ARGV: token id. Keeps the count of claims. HDEL needs no memory. */
export const release = `
local found = redis.call('HMGET', KEYS[1], 'h', 't')
if found[1] or found[2] ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 't', 'u', 's')
return 1
`
