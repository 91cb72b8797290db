import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { InboxPage } from '../../store/inbox.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { accepted, finish, inboxOf, kept } from './stored-event.js'

const day = 86_400_000

/** Laws of the conditions of `list`. */
export const listLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'a list after an event of another endpoint tells nothing of it'({ make }) {
    const store = await make()
    const [endpoint, other] = [freshKey(), freshKey()]
    await accepted(store, { endpoint })
    const theirs = await accepted(store, { endpoint: other })
    await accepted(store, { endpoint })
    for (const order of ['oldest', 'newest'] as const) {
      const listAfter = async (after: string) => {
        try {
          return await keysIn(store, endpoint)({ order, after })
        } catch (error) {
          return String(error)
        }
      }
      assert.deepEqual(await listAfter(theirs.key), await listAfter(freshKey()))
    }
  },

  async 'a list holds the events that meet every condition, and no other'({ make }) {
    const [here, there] = [await make(), await make()]
    const endpoint = freshKey()
    const resource = freshKey()
    const [settled, failed, other] = [
      await accepted(here, { endpoint, type: 'transfer.settled', resource }),
      await accepted(here, { endpoint, type: 'transfer.failed' }),
      await accepted(here, { endpoint, type: 'transferal' }),
    ]
    await accepted(here, { type: 'transfer.settled', resource })
    await inboxOf(here).markDead(failed.key, 'TypeError: Amount is missing')
    await finish(here, other)

    const list = keysIn(there, endpoint)
    const cases: [filter: InboxPage, found: readonly EventRef[]][] = [
      [{}, [settled, failed, other]],
      [{ type: 'transfer.settled' }, [settled]],
      [{ type: 'transfer.*' }, [settled, failed]],
      [{ type: 'transfer' }, []],
      [{ type: 'transfer%' }, []],
      [{ resource }, [settled]],
      [{ resource: freshKey() }, []],
      [{ root: settled.id }, []],
      [{ key: failed.key }, [failed]],
      [{ key: failed.key, type: 'transfer.settled' }, []],
      [{ text: 'amount is' }, [failed]],
      [{ text: 'Amount%' }, []],
      [{ text: 'amount', state: 'accepted' }, []],
      [{ state: 'dead', type: 'transfer.*' }, [failed]],
      [{ state: 'dead', type: 'transferal' }, []],
      [{ group: freshKey() }, []],
      [{ since: new Date(Date.now() - day), until: new Date(Date.now() + day) }, [settled, failed, other]],
      [{ since: new Date(Date.now() + day) }, []],
      [{ until: new Date(Date.now() - day) }, []],
    ]
    for (const [filter, found] of cases) {
      assert.deepEqual(await list(filter), keysOf(found), JSON.stringify(filter))
    }
    const everywhere = await inboxOf(there).list({ allEndpoints: true, type: 'transfer.settled', resource })
    assert.equal(everywhere.length, 2)
  },

  async 'a list by the beginning of a type holds few types and many, page by page'({ make }) {
    const store = await make()
    const endpoint = freshKey()
    const list = keysIn(store, endpoint)
    const add = async (type: string, end?: 'done' | 'dead') => {
      const event = await accepted(store, { endpoint, type })
      if (end === 'done') {
        await finish(store, event)
      } else if (end === 'dead') {
        await inboxOf(store).markDead(event.key, 'given up')
      }
      return event.key
    }
    assert.deepEqual(await list({ type: 'a.*' }), [])
    await add('a', 'done')
    await add('a/b', 'done')
    await add('aa.b', 'dead')
    const wild = await add('a.*', 'done')
    const few = [await add('a.b', 'dead'), wild, await add('a.b', 'done'), await add('a.é'), await add('a.b')]
    const pages = async (type: string) => {
      const paged: string[] = []
      for (let page = await list({ type, limit: 2 }); page.length > 0; ) {
        paged.push(...page)
        page = await list({ type, limit: 2, after: page.at(-1) as string })
      }
      return paged
    }
    assert.deepEqual((await pages('a.*')).toSorted(), few.toSorted())
    assert.deepEqual(await list({ type: 'a.*', state: 'dead' }), few.slice(0, 1))
    const many: string[] = []
    for (let i = 0; i < 30; i++) {
      many.push(await add(`b.${i}`, i % 2 ? 'done' : 'dead'))
      if (i === 19 || i === 20 || i === 29) {
        assert.deepEqual((await pages('b.*')).toSorted(), many.toSorted(), `${many.length} types`)
      }
    }
  },

  async 'since includes its moment, and until does not'({ make }) {
    const store = await make()
    const event = await accepted(store)
    const list = keysIn(store, event.endpoint)
    // A store may count microseconds, which a Date cannot hold.
    const from = new Date(Date.parse((await kept(store, event)).receivedAt))
    const after = new Date(from.getTime() + 1)
    assert.deepEqual(await list({ since: from, until: after }), [event.key])
    assert.deepEqual(await list({ until: from }), [])
    assert.deepEqual(await list({ since: after }), [])
  },

  async 'a list goes page by page from either end, whatever its conditions'({ make }) {
    const store = await make()
    const endpoint = freshKey()
    const events: EventRef[] = []
    for (let i = 0; i < 9; i++) {
      events.push(await accepted(store, { endpoint, type: i % 3 ? 'transfer.settled' : 'transfer.failed' }))
    }
    for (const { key } of events.slice(0, 5)) {
      await inboxOf(store).markDead(key, 'given up')
    }
    const list = keysIn(store, endpoint)
    for (const filter of [{}, { type: 'transfer.*' }, { type: 'transfer.settled' }, { text: 'GIVEN' }]) {
      const oldest = await list(filter)
      for (const order of ['oldest', 'newest'] as const) {
        const paged: string[] = []
        for (let page = await list({ ...filter, order, limit: 2 }); page.length > 0; ) {
          paged.push(...page)
          page = await list({ ...filter, order, limit: 2, after: page.at(-1) as string })
        }
        assert.deepEqual(paged, order === 'oldest' ? oldest : [...oldest].reverse())
      }
    }
  },

  async 'a list without bodies has everything else'({ make }) {
    const inbox = inboxOf(await make())
    const endpoint = freshKey()
    const { key } = await accepted(await make(), { endpoint })
    const dead = await accepted(await make(), { endpoint })
    await inbox.markDead(dead.key, 'given up')
    const body = new Uint8Array([0, 255, 10])
    const bodyHash = 'ab'.repeat(32)
    await inbox.quarantine({ endpoint, code: 'invalid_json', bodyHash, body })
    for (const list of [
      (bodies: boolean) => inbox.list({ endpoint, bodies }),
      (bodies: boolean) => inbox.list({ endpoint, bodies, text: 'given', order: 'newest' }),
      (bodies: boolean) => inbox.quarantined({ endpoint, bodies }),
    ]) {
      const whole = await list(true)
      const heads = await list(false)
      assert.ok(
        whole.length > 0 && whole.every((row) => row.body.byteLength > 0 && !('bodyBytes' in row)),
        key,
      )
      assert.deepEqual(
        heads.map(({ body, ...row }) => ({ ...row, empty: body.byteLength })),
        whole.map(({ body, ...row }) => ({ ...row, bodyBytes: body.byteLength, empty: 0 })),
      )
    }
  },

  async 'a condition of the wrong type is rejected'({ make }) {
    const inbox = inboxOf(await make())
    const wrong = [
      { state: 'claimed' },
      { type: 1 },
      { group: {} },
      { resource: null },
      { key: true },
      { text: [] },
      { since: 'yesterday' },
      { until: new Date(Number.NaN) },
      { order: 'random' },
      { bodies: 'no' },
    ]
    for (const filter of wrong) {
      await assert.rejects(
        inbox.list({ allEndpoints: true, ...filter } as never),
        (error: unknown) => (error as { code?: unknown }).code === 'invalid_option',
        JSON.stringify(filter),
      )
    }
  },
})

const keysOf = (events: readonly { readonly key: string }[]) => events.map(({ key }) => key)

const keysIn = (store: Store<unknown>, endpoint: string) => async (query: InboxPage) =>
  keysOf(await inboxOf(store).list({ endpoint, ...query }))
