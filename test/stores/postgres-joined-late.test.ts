import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.js'
import { onDrizzle, onKnex, onKysely, onPostgresJs, startJoinedRig, written } from './postgres-joined-rig.js'
import { newEvent } from './postgres-rig.js'

startJoinedRig()

/** Writes with the `tx` of a handler that has settled, while the handler of another event runs. */
async function writeLate<Tx>(store: Store<Tx>, write: (tx: Tx, word: string) => PromiseLike<unknown>) {
  const word = newEvent().key
  let kept: { tx: Tx } | undefined
  await store.once(newEvent(), async (context) => {
    kept = { tx: context.tx }
  })
  await store.once(newEvent(), async () => {
    await write((kept as { tx: Tx }).tx, word)
  })
  return (await written()).includes(word)
}

describe('a statement that a handler left running', () => {
  test('is rejected by Kysely', async () => {
    const late = writeLate(onKysely(), (tx, word) => tx.insertInto('words').values({ word }).execute())
    await expect(late).rejects.toThrow('already committed')
  })

  test('is rejected by Knex', async () => {
    const late = writeLate(onKnex(), (tx, word) => tx('words').insert({ word }))
    await expect(late).rejects.toThrow('already complete')
  })

  // docs/orms.md warns of both. Where a version rejects it, the warning can go.
  test('commits with another event through Drizzle', async () => {
    const late = writeLate(onDrizzle(), (tx, word) => tx.execute(sql`INSERT INTO words VALUES (${word})`))
    expect(await late).toBe(true)
  })

  test('commits with another event through postgres.js', async () => {
    const late = writeLate(onPostgresJs(), (tx, word) => tx`INSERT INTO words VALUES (${word})`)
    expect(await late).toBe(true)
  })
})
