import { afterAll, describe, expect, it, test } from 'vitest'
import type { Store } from '../../src/store/store.js'
import { type SqliteTx, sqliteStore } from '../../src/stores/sqlite.js'
import { type InboxCapability, type InboxSuiteOptions, inboxSuite } from '../../src/testing/index.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { open } from '../stores/sqlite-rig.js'

afterAll(removeFiles)

const path = newFile()
const words = open(path)
words.exec('PRAGMA busy_timeout = 5000; CREATE TABLE words (word TEXT PRIMARY KEY)')
const options: InboxSuiteOptions<SqliteTx> = {
  write: (tx, word) => tx.write((database) => database.prepare('INSERT INTO words VALUES (?)').run(word)),
  written: () =>
    words
      .prepare('SELECT word FROM words')
      .all()
      .map((row) => (row as { word: string }).word),
  misuses: { commits: (tx) => tx.write((database) => void database.exec('COMMIT')) },
}

/** Those of the SQLite store. */
const capabilities = ['auditLog', 'bulk', 'failures', 'flow', 'readQuarantined', 'statistics'] as const

/** The SQLite store without some capabilities of its inbox. */
function without(absent: readonly InboxCapability[]): Store<SqliteTx> {
  const store = sqliteStore(path)
  const { inbox } = store
  const parts = Object.entries(inbox as object).filter(([name]) => !absent.includes(name as InboxCapability))
  return { ...store, inbox: Object.fromEntries(parts) } as unknown as Store<SqliteTx>
}

/** Registers the suite. Returns the laws that it runs, and the names of the laws that it skips. */
function lawsOf(absent: readonly InboxCapability[], lacks: readonly InboxCapability[] = []) {
  const run = new Map<string, () => Promise<void>>()
  const skipped: string[] = []
  const register = Object.assign((name: string, law: () => Promise<void>) => void run.set(name, law), {
    skip: (name: string) => void skipped.push(name),
  })
  inboxSuite(register, () => without(absent), { ...options, lacks: ['take', ...lacks] })
  return { run, skipped }
}

describe('an inbox with only what every inbox has', () => {
  inboxSuite(test, () => without(capabilities), { ...options, lacks: ['take', ...capabilities] })
})

describe('a capability that is absent', () => {
  it.each(capabilities)('fails its laws if lacks does not name it: %s', async (name) => {
    const skipped = lawsOf([], [name]).skipped.filter((each) =>
      each.endsWith(` (skipped: the inbox has no ${name})`),
    )
    expect(skipped.length).toBeGreaterThan(0)
    const { run } = lawsOf([name])
    for (const each of skipped) {
      const law = run.get(each.replace(/ \(skipped: .*/, ''))
      await expect(law?.(), each).rejects.toThrow(
        `the inbox has no ${name}; if that is intended, add lacks: ['${name}']`,
      )
    }
  })

  it.each(capabilities)('must be absent if lacks names it: %s', async (name) => {
    const law = (absent: InboxCapability[]) =>
      lawsOf(absent, [name]).run.get('the inbox has no capability that lacks names')?.()
    await expect(law([])).rejects.toThrow(name)
    await expect(law([name])).resolves.toBeUndefined()
  })

  it('must have laws', () => {
    expect(() => lawsOf([], ['bulks' as never])).toThrow('lacks: there is no capability bulks')
  })
})

it('fails for an inbox that rejects, where a law waits for the call of enqueue', async () => {
  const run = new Map<string, () => Promise<void>>()
  const down = () => {
    const store = sqliteStore(path)
    const accept = () => Promise.reject(new Error('the disk is full'))
    return { ...store, inbox: { ...store.inbox, accept } } as unknown as Store<SqliteTx>
  }
  inboxSuite((name, law) => void run.set(name, law), down, { ...options, lacks: ['take'] })
  const law = run.get('an event that commits late does not run beside the event that overtook it')
  await expect(law?.()).rejects.toThrow('the disk is full')
})
