import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { describe, expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { onDrizzle, rig, startJoinedRig, written } from './postgres-joined-rig.js'
import { newEvent } from './postgres-rig.js'

startJoinedRig()

describe('a handler that wraps the client of the pool in Drizzle', () => {
  const insert = (word: string) => sql`INSERT INTO words VALUES (${word})`
  const store = () => postgresStore({ pool: rig.pool() })

  test('commits its writes with the mark, or neither', async () => {
    const [event, word] = [newEvent(), newEvent().key]
    const once = (isFailing: boolean) =>
      store().once(event, async ({ tx }) => {
        await drizzle({ client: tx }).execute(insert(word))
        if (isFailing) {
          throw new Error('the handler fails')
        }
      })
    await expect(once(true)).rejects.toThrow('the handler fails')
    expect(await written()).not.toContain(word)
    expect((await once(false)).state).toBe('done')
    expect(await written()).toContain(word)
    expect((await once(false)).state).toBe('duplicate')
  })

  test('cannot open a transaction of its own, which would mark the event as done too early', async () => {
    const [event, word] = [newEvent(), newEvent().key]
    const failed = store().once(event, async ({ tx }) => {
      await drizzle({ client: tx }).transaction((own) => own.execute(insert(word)))
    })
    const cause = expect.objectContaining({ code: 'transaction_misused' })
    await expect(failed).rejects.toEqual(expect.objectContaining({ cause }))
    expect(await written()).not.toContain(word)
    expect((await store().once(event, async () => {})).state).toBe('done')
  })

  test('makes a savepoint if Drizzle itself opens the transaction of the store', async () => {
    const word = newEvent().key
    const failed = onDrizzle().once(newEvent(), async ({ tx }) => {
      await tx.transaction((own) => own.execute(insert(word)))
      throw new Error('the handler fails')
    })
    await expect(failed).rejects.toThrow('the handler fails')
    expect(await written()).not.toContain(word)
  })
})
