/**
 * The SQL that creates the table of {@link d1Store}. Put it into a migration of wrangler. Running it again changes nothing.
 *
 * @example
 * await env.DB.exec(d1Migration.replaceAll('\n', ' '))
 */
export const d1Migration = `CREATE TABLE IF NOT EXISTS webhook_inbox_claims (
  key          TEXT    PRIMARY KEY,
  token        TEXT,
  attempt      INTEGER NOT NULL,
  lease_until  INTEGER NOT NULL,
  lease_span   INTEGER NOT NULL,
  content_hash TEXT,
  done_at      INTEGER,
  forget_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS webhook_inbox_claims_done ON webhook_inbox_claims (forget_at) WHERE content_hash IS NOT NULL;
CREATE INDEX IF NOT EXISTS webhook_inbox_claims_free ON webhook_inbox_claims (lease_until) WHERE content_hash IS NULL;
`

/** Milliseconds since 1970, by the clock of D1. A key has no `token` once it is released, and a `content_hash` once it is done. */
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

/** A lease that ends later than its span allows was taken before the clock was set back. `?1` key. */
export const cutToSpan = `
  UPDATE webhook_inbox_claims SET lease_until = ${now} + lease_span
  WHERE key = ?1 AND content_hash IS NULL AND lease_until > ${now} + lease_span`

/** `?1` key, `?2` token, `?3` lease in ms. Returns nothing if the key is leased or done. */
export const claim = `
  INSERT INTO webhook_inbox_claims (key, token, attempt, lease_until, lease_span) VALUES (?1, ?2, 1, ${now} + ?3, ?3)
  ON CONFLICT (key) DO UPDATE SET token = excluded.token, attempt = attempt + 1, lease_until = excluded.lease_until,
    lease_span = excluded.lease_span, content_hash = NULL, done_at = NULL, forget_at = NULL
  WHERE coalesce(forget_at, lease_until) <= ${now}
  RETURNING attempt`

/** `?1` key. */
export const find = `
  SELECT content_hash, lease_until - ${now} AS remaining FROM webhook_inbox_claims WHERE key = ?1`

/** `?1` key, `?2` token, `?3` lease in ms. */
export const extend = `
  UPDATE webhook_inbox_claims SET lease_until = ${now} + ?3, lease_span = ?3
  WHERE key = ?1 AND token = ?2 AND content_hash IS NULL
  RETURNING 1`

/** `?1` key, `?2` token, `?3` content hash, `?4` retention in ms. Repeated under its own token it changes nothing. */
export const complete = `
  UPDATE webhook_inbox_claims SET content_hash = coalesce(content_hash, ?3), done_at = coalesce(done_at, ${now}),
    forget_at = coalesce(forget_at, ${now} + ?4)
  WHERE key = ?1 AND token = ?2
  RETURNING 1`

/** `?1` key, `?2` token. The count of claims stays. */
export const release = `
  UPDATE webhook_inbox_claims SET token = NULL, lease_until = min(lease_until, ${now})
  WHERE key = ?1 AND token = ?2 AND content_hash IS NULL
  RETURNING 1`

/** How long the count of attempts of an event is kept after its lease has ended without a completion, in ms. */
const abandoned = 30 * 86_400_000

/** `?1` a time in ms, `?2` how many. A wrong time deletes nothing early: the retention of an event must have passed. */
export const prune = `
  DELETE FROM webhook_inbox_claims WHERE key IN (
    SELECT key FROM webhook_inbox_claims WHERE content_hash IS NOT NULL AND forget_at <= ${now} AND done_at < ?1
    UNION ALL
    SELECT key FROM webhook_inbox_claims
    WHERE content_hash IS NULL AND lease_until < ${now} - ${abandoned}
    LIMIT ?2)
  RETURNING 1`
