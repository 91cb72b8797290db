import assert from 'node:assert/strict'
import { HandlerFailure } from '../../errors.js'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import type { Laws } from '../laws.js'
import { accepted, inboxOf, kept, mustNotRun } from './stored-event.js'

/** What a handler may do to its transaction. */
export interface Misuses<Tx> {
  /**
   * Ways in which a handler can end the transaction of the store, or make its commit fail: by name. Without it the law about them
   * is skipped.
   */
  readonly misuses?: Readonly<Record<string, (tx: Tx) => unknown>> | undefined
}

const attempts = 3

/** Runs an event as a queue does, until it is done or its attempts are over. Returns how often the work ran. */
async function runAsQueue<Tx>(
  store: Store<Tx>,
  event: EventRef,
  work: (tx: Tx) => Promise<void>,
): Promise<number> {
  const inbox = inboxOf(store)
  let runs = 0
  for (let failures = 1; failures <= attempts; failures++) {
    const ended = store.once({ ...event, isKept: true }, async ({ tx }) => {
      runs++
      try {
        await work(tx)
      } catch (error) {
        throw new HandlerFailure(error)
      }
    })
    // A StoreError would not be counted: the queue takes it for an outage.
    await assert.rejects(ended, (error: unknown) => (error as Error).name === 'HandlerFailure')
    await (failures < attempts
      ? inbox.postpone(event.key, 0, 'it failed')
      : inbox.markDead(event.key, 'it failed'))
  }
  return runs
}

export const skippedWork = 'whatever the work does to its transaction, its attempts end, and it is never done'

/** Laws of work that misuses its transaction. */
export const workLaws = <Tx>({ misuses = {} }: Misuses<Tx>): Laws<Store<Tx>> => ({
  async [skippedWork]({ make }) {
    const store = await make()
    for (const [name, misuse] of Object.entries(misuses)) {
      for (const isThrowing of [false, true]) {
        const event = await accepted(store)
        const runs = await runAsQueue(store, event, async (tx) => {
          await misuse(tx)
          if (isThrowing) {
            throw new Error('and then it fails')
          }
        })
        const { state, failures } = await kept(store, event)
        assert.deepEqual([name, runs, state, failures], [name, attempts, 'dead', attempts])
        assert.equal((await store.once(event, mustNotRun)).state, 'busy', name)
      }
    }
  },
})

/** The law above says nothing without a means to provoke it. */
export const skipsWithoutMisuses = <Tx>({ misuses }: Misuses<Tx>) =>
  misuses ? [] : [{ reason: 'the option misuses is not given', tests: [skippedWork] }]
