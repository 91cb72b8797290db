/**
 * Version 10. `events_ended_by_type` finds the last success of a type that always fails, and the last arrival of a type. An
 * event gets its entry when it is done or dead, not when it is accepted. `version_starts` keeps the start of each version,
 * also after its processes have ended.
 */
export const rhythm = (schema: string) => `
CREATE INDEX IF NOT EXISTS events_ended_by_type
  ON ${schema}.events (endpoint COLLATE "C", type COLLATE "C", state, received_at, seq) WHERE state IN ('done', 'dead');

CREATE TABLE IF NOT EXISTS ${schema}.version_starts (
  endpoint   text NOT NULL,
  version    text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (endpoint, version)
);
INSERT INTO ${schema}.version_starts (endpoint, version, started_at)
SELECT endpoint, version, min(started_at) FROM ${schema}.workers GROUP BY endpoint, version ON CONFLICT DO NOTHING;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (10, 1) ON CONFLICT DO NOTHING;
`
