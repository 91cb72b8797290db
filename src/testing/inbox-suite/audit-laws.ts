import assert from 'node:assert/strict'
import type { AuditLog } from '../../store/audit-log.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { capabilityOf, needs } from './capabilities.js'
import { accepted, anyBytes, finish, inboxOf, newEvent, nothing } from './stored-event.js'

const audit = { reason: 'known to the bank', actor: 'suite' }

/** Laws of the log of audits. */
export const auditLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'a replay and a discard each leave one entry, and what changes nothing leaves none'({ make }) {
    const store = await make()
    const inbox = inboxOf(store)
    const log = capabilityOf(store, 'auditLog')
    const { key, endpoint, id: eventId } = await accepted(store)
    const list = (key: string) => withoutPlace(log, { endpoint, key })
    await inbox.requeue(key, audit, nothing)
    await inbox.requeue(freshKey(), audit, nothing)
    const refused = new Error('refused')
    await assert.rejects(
      inbox.requeue(key, audit, () => Promise.reject(refused)),
      refused,
    )
    assert.equal(await inbox.discard(key, audit), false)
    const replayed = { action: 'replay', endpoint, key, eventId, ...audit }
    assert.deepEqual(await list(key), [replayed])
    await inbox.markDead(key, 'given up')
    assert.equal(await inbox.discard(key, { ...audit, actor: 'another' }), true)
    assert.deepEqual(await list(key), [{ ...replayed, action: 'discard', actor: 'another' }, replayed])

    await inbox.quarantine({
      endpoint,
      code: 'event_id_conflict',
      eventId,
      bodyHash: freshKey(),
      body: anyBytes,
    })
    const [delivery] = await inbox.quarantined({ endpoint })
    assert.ok(delivery)
    assert.equal(await inbox.discard(delivery.key, audit), true)
    assert.deepEqual(await list(delivery.key), [
      { action: 'discard', endpoint, key: delivery.key, eventId, ...audit },
    ])
  },

  async 'audits are listed newest first, page by page, for one endpoint or for all'({ make }) {
    const [here, there] = [await make(), await make()]
    const log = capabilityOf(there, 'auditLog')
    const [endpoint, other] = [freshKey(), freshKey()]
    const keys: string[] = []
    for (let i = 0; i < 5; i++) {
      const event = await accepted(here, { endpoint })
      await finish(here, event)
      await inboxOf(here).requeue(event.key, audit, nothing)
      keys.unshift(event.key)
    }
    const foreign = await accepted(here, { endpoint: other })
    await inboxOf(here).requeue(foreign.key, audit, nothing)

    const paged: (string | undefined)[] = []
    for (let after: string | undefined; ; ) {
      const page = await log.list({ endpoint, limit: 2, after })
      paged.push(...page.map(({ key }) => key))
      if (page.length < 2) {
        break
      }
      after = page.at(-1)?.id
    }
    assert.deepEqual(paged, keys)
    assert.deepEqual(
      (await log.list({ endpoint: other })).map(({ key }) => key),
      [foreign.key],
    )
    const all = (await log.list({ allEndpoints: true })).map(({ key }) => key)
    assert.ok(all.includes(foreign.key) && keys.every((key) => all.includes(key)))
    const [entry] = await log.list({ endpoint, limit: 1 })
    assert.ok(entry && Math.abs(Date.parse(entry.at) - Date.now()) < 3_600_000)
  },

  'audits are listed by their subject': needs('bulk', async ({ make }) => {
    const [here, there] = [await make(), await make()]
    const log = capabilityOf(there, 'auditLog')
    const original = newEvent()
    const other = newEvent({ endpoint: original.endpoint })
    const copies: string[] = []
    for (const { id: parent, key: parentKey, endpoint } of [original, other, original]) {
      const copy = newEvent({ endpoint })
      await capabilityOf(here, 'bulk').acceptFrom(copy, { parent, parentKey }, audit, nothing)
      copies.unshift(copy.key)
    }
    const { endpoint, id: subject } = original
    const found = await log.list({ endpoint, subject })
    assert.deepEqual(
      found.map(({ key }) => key),
      [copies[0], copies[2]],
    )
    assert.deepEqual(await log.list({ endpoint, subject, limit: 1, after: found[0]?.id }), found.slice(1))
    assert.deepEqual(await log.list({ endpoint, subject: freshKey() }), [])
  }),

  async 'a list of audits that names no endpoint, or no real place, is rejected'({ make }) {
    const log = capabilityOf(await make(), 'auditLog')
    const isRejected = (error: unknown) => (error as { code?: unknown }).code === 'invalid_option'
    const queries = [{}, { endpoint: 'a', after: 'no number' }, { endpoint: 'a', limit: -1 }]
    for (const query of [
      ...queries,
      { endpoint: 'a', key: 1 },
      { endpoint: 'a', subject: 1 },
      { endpoint: 'a', run: {} },
    ]) {
      await assert.rejects(log.list(query as never), isRejected)
    }
  },
})

async function withoutPlace(log: AuditLog, query: { readonly endpoint: string; readonly key: string }) {
  return (await log.list(query)).map(({ id: _, at: __, ...entry }) => entry)
}
