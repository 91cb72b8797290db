/**
 * Subscriptions, events, their deliveries and attempts. Times are unix milliseconds by the sandbox's clock.
 *
 * A delivery is one event for one subscription; it has an attempt for each HTTP request that was made for it.
 * `deliveries.due_at` is when the next attempt is due. It is null once the delivery has ended, while it waits for another
 * event (`waits_for`), and in a replay, which its request starts.
 */
export const deliveryTables = `
CREATE TABLE subscriptions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  description TEXT,
  envelope TEXT NOT NULL CHECK (envelope IN ('camelCase', 'snake_case')),
  secret TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  camel_body BLOB NOT NULL,
  snake_body BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id),
  subscription_id TEXT NOT NULL,
  url TEXT NOT NULL,
  envelope TEXT NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('event', 'duplicate', 'replay')),
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'exhausted', 'canceled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  waits_for TEXT,
  signature TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_due ON deliveries (subscription_id, due_at, seq) WHERE state = 'pending';
CREATE INDEX deliveries_next ON deliveries (due_at) WHERE state = 'pending';
CREATE INDEX deliveries_waiting ON deliveries (waits_for) WHERE waits_for IS NOT NULL;

CREATE TABLE attempts (
  seq INTEGER PRIMARY KEY,
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  record TEXT NOT NULL,
  request_body BLOB,
  response_body BLOB
) STRICT;

CREATE INDEX attempts_by_delivery ON attempts (delivery_id, number);

CREATE TABLE chaos (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  settings TEXT NOT NULL
) STRICT
`
