import { withSuccess } from './postgres-attempts.js'

/** What a replay sets of an event. */
export const reopened = `state = 'accepted', attempt = 0, failures = 0, generation = generation + 1, queued = true,
    due_at = now(), done_at = NULL, keep_until = NULL, last_error = NULL, failure_group = NULL, attempts = ${withSuccess}`

/** Keeps the replay with its event. `$2` reason, `$3` actor. For a statement that returns key and generation as `reopened`. */
export const noteReplays = (schema: string) => `
  INSERT INTO ${schema}.replays (key, generation, reason, actor)
  SELECT key, generation, $2::text, $3::text FROM reopened`
