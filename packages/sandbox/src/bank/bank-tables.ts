/**
 * Accounts and journal. A trigger adds each journal line to `accounts.posted`. The journal only gets new lines. All amounts
 * are minor units.
 */
export const bankTables = `
CREATE TABLE wallets (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  currency TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  currency TEXT NOT NULL,
  is_wallet INTEGER NOT NULL CHECK (is_wallet IN (0, 1)),
  posted INTEGER NOT NULL DEFAULT 0 CHECK (is_wallet = 0 OR posted >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE transfers (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  ledger_state TEXT NOT NULL,
  rail TEXT NOT NULL,
  source TEXT NOT NULL REFERENCES wallets (id),
  destination TEXT NOT NULL,
  shape TEXT NOT NULL CHECK (shape IN ('A', 'B')),
  minor INTEGER NOT NULL CHECK (minor > 0),
  currency TEXT NOT NULL,
  metadata TEXT NOT NULL,
  failure TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  next_step TEXT CHECK (next_step IN ('ask', 'process', 'finish', 'correct')),
  due_at INTEGER
) STRICT;
CREATE INDEX transfers_due ON transfers (due_at) WHERE next_step IS NOT NULL;
CREATE INDEX transfers_reserved ON transfers (source, minor)
  WHERE status IN ('pending', 'pending_approval', 'processing');

CREATE TABLE journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  transfer_id TEXT REFERENCES transfers (id),
  account TEXT NOT NULL REFERENCES accounts (id),
  minor INTEGER NOT NULL CHECK (minor <> 0),
  currency TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (transfer_id, account)
) STRICT;
CREATE TRIGGER journal_posts AFTER INSERT ON journal BEGIN
  UPDATE accounts SET posted = posted + NEW.minor WHERE id = NEW.account;
END;
CREATE TRIGGER journal_keeps BEFORE UPDATE ON journal BEGIN
  SELECT RAISE(ABORT, 'the journal is only appended to');
END;

CREATE TABLE approvals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  transfer_id TEXT NOT NULL UNIQUE REFERENCES transfers (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT
`
