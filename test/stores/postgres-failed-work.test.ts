import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { effect, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

describe.each([true, false])(
  'an event of the inbox whose handler fails, with pipelining: %s',
  (pipelining) => {
    const openStore = () => postgresStore({ pool: rig.pool({ max: 1 }), pipelining })

    /** Accepts an event, and returns it as a worker finds it. */
    async function found(store: ReturnType<typeof openStore>) {
      const event = newEvent()
      await store.inbox.accept(event, async () => {})
      return { ...event, isKept: true, seen: { attempt: 0, generation: 0, failures: 0 } }
    }

    test('keeps none of its writes, not even one that it did not await', async () => {
      const store = openStore()
      const event = await found(store)
      const failed = store.once(event, async ({ tx }) => {
        await effect(tx, event)
        await tx.query('SAVEPOINT mine')
        void effect(tx, event).catch(() => {})
        throw new Error('no such account')
      })
      await expect(failed).rejects.toThrow('no such account')
      expect(await rig.effects(event)).toBe(0)
      expect(await store.inbox.read(event.key)).toMatchObject({
        state: 'failed',
        attempt: 1,
        attempts: [{ attempt: 1 }],
      })
    })

    test('takes back its tx before it notes the failure', async () => {
      const store = openStore()
      const event = await found(store)
      let late: Promise<unknown> | undefined
      const failed = store.once(event, async ({ tx }) => {
        late = (async () => {
          for (let i = 0; i < 200; i++) {
            await sleep(0)
            await effect(tx, event)
          }
        })()
        late.catch(() => {})
        await sleep(5)
        throw new Error('no such account')
      })
      await expect(failed).rejects.toThrow('no such account')
      await expect(late).rejects.toMatchObject({ code: 'transaction_misused' })
      expect(await rig.effects(event)).toBe(0)
      expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
    })

    test('does not run in another worker that waits for its row', async () => {
      const [store, other] = [openStore(), openStore()]
      for (let round = 0; round < 10; round++) {
        const event = await found(store)
        let outcome: Promise<{ state: string }> | undefined
        const failed = store.once(event, async () => {
          outcome = other.once(event, async () => {
            throw new Error('it ran twice')
          })
          await sleep(15)
          throw new Error('no such account')
        })
        await expect(failed).rejects.toThrow('no such account')
        expect((await outcome)?.state).toBe('busy')
        expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
      }
    })

    test('waits for a search that holds its row for a moment', async () => {
      const store = openStore()
      const event = await found(store)
      const search = await rig.pool({ max: 1 }).connect()
      await search.query('BEGIN')
      await search.query('SELECT FROM webhook_inbox.events WHERE key = $1 FOR NO KEY UPDATE', [event.key])
      const outcome = store.once(event, async () => {})
      await sleep(10)
      await search.query('COMMIT')
      search.release()
      expect((await outcome).state).toBe('done')
    })

    test('is noted once if a statement of it failed, and the error is that of the handler', async () => {
      const store = openStore()
      const event = await found(store)
      const failed = store.once(event, async ({ tx }) => {
        await effect(tx, event)
        await tx.query('SELECT 1 / 0')
      })
      await expect(failed).rejects.toThrow('division by zero')
      expect(await rig.effects(event)).toBe(0)
      const stored = await store.inbox.read(event.key)
      expect(stored).toMatchObject({
        state: 'failed',
        attempt: 1,
        lastError: expect.stringContaining('division by zero'),
      })
      expect(Date.parse(stored?.retryAt ?? '') - Date.now()).toBeGreaterThan(30_000)
    })

    test('is noted afterwards if its transaction cannot go on', async () => {
      const store = openStore()
      const event = await found(store)
      const failed = store.once(event, async ({ tx }) => {
        await effect(tx, event)
        // The comment hides it from `tx`, which rejects it otherwise.
        await tx.query('RELEASE SAVEPOINT /* hidden */ webhook_inbox_claim')
        throw new Error('no such account')
      })
      await expect(failed).rejects.toThrow('no such account')
      expect(await rig.effects(event)).toBe(0)
      expect(await store.inbox.read(event.key)).toMatchObject({ state: 'failed', attempt: 1 })
    })
  },
)
