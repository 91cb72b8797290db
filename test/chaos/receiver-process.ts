import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeHandler } from '../../adapters/node.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import type { Order, ProcessSettings } from './modes.js'
import { Journal } from './process/journal.js'
import { loadClients } from './process/load-clients.js'
import { openQueue } from './process/open-queue.js'
import { openStore } from './process/open-store.js'
import { Strikes } from './process/strikes.js'

/** A receiver or a worker in its own process, as a user runs it. It can be struck at any step. */

const settings = JSON.parse(process.argv[2] as string) as ProcessSettings
const { role, types } = settings
const journal = new Journal(settings.journal)
const strikes = new Strikes(journal)
// An orphan would keep its lease, its locks and its port.
process.on('disconnect', () => process.exit())

const mayBegin = once(process, 'message')
await loadClients(settings)
await mayBegin

const opened = await openStore(settings, strikes, journal)
const queue = await openQueue(settings)

/** Instructions for the handler, in the data of an event. */
interface Wish {
  readonly behavior?: 'fine' | 'flaky' | 'doomed' | 'deadly'
  readonly workMs?: number
}

interface Given {
  readonly id: string
  readonly data: unknown
}
interface Context {
  readonly tx: unknown
  readonly attempt: number
  readonly signal: AbortSignal
}

/** The reason of a signal that aborts for the time limit. It also aborts when the claim is lost. */
const overdue = `not done within ${settings.handlerTimeoutSeconds} s`

async function handle(event: Given, context: Context) {
  const { attempt, signal } = context
  signal.addEventListener('abort', () => {
    if (signal.reason.message === overdue) {
      journal.write({ what: 'overdue', id: event.id, attempt })
    }
  })
  try {
    await act(event, context)
  } catch (error) {
    journal.write({ what: 'failed', id: event.id, attempt })
    throw error
  }
}

async function act({ id, data }: Given, { tx, attempt }: Context) {
  const { behavior, workMs = 0 } = data as Wish
  journal.write({ what: 'entered', id, attempt })
  if ((await opened.enter?.(tx, id)) === false) {
    journal.write({ what: 'overlap', id, attempt })
  }
  strikes.reach('in the handler', id)
  if (behavior === 'deadly' && journal.entries(id) <= 3) {
    process.kill(process.pid, 'SIGKILL')
  }
  if (workMs > 0) {
    await sleep(workMs)
  }
  await opened.effect(tx, id, attempt)
  journal.write({ what: 'effect', id, attempt })
  strikes.reach('after its write', id)
  if (behavior === 'doomed' || (behavior === 'flaky' && attempt === 1)) {
    throw new Error('the handler was told to fail')
  }
  journal.write({ what: 'left', id, attempt })
}

const receiver = createReceiver({
  secret: settings.secret,
  store: opened.store,
  ...(queue && { queue }),
  handlers: Object.fromEntries(types.map((type) => [type, handle])) as object,
  leaseSeconds: settings.leaseSeconds,
  handlerTimeoutSeconds: settings.handlerTimeoutSeconds,
})

const struck: Receiver = {
  ...receiver,
  async receive(request) {
    const result = await receiver.receive(request)
    strikes.reach('before the answer', result.eventId)
    if ('polluted' in {}) {
      process.abort()
    }
    return result
  },
}

const server = createServer(nodeHandler(struck))
if (role !== 'worker') {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

// A supervisor restarts a program until its store is up. This loop does the same.
for (;;) {
  try {
    await receiver.start({ consume: role !== 'receiver' })
    break
  } catch (error) {
    console.error('chaos: not started yet:', String(error))
    await sleep(200)
  }
}

const { now } = Date
process.on('message', async (order: Order) => {
  if ('strike' in order) {
    strikes.arm(order.strike)
  }
  if ('clockSeconds' in order) {
    Date.now = () => now() + order.clockSeconds * 1000
    journal.write({ what: 'clock' })
  }
  if ('hogSeconds' in order) {
    await opened.hog?.(order.hogSeconds)
  }
  if ('stop' in order) {
    server.close()
    await receiver.stop()
    process.exit(0)
  }
})
process.send?.({ port: (server.address() as { port: number } | null)?.port ?? 0 })
