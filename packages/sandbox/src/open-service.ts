import { clockStart } from './advance.js'
import { subscriptionRecord, transferRecord } from './api/records.js'
import { Progress } from './bank/progress.js'
import { findTransfer } from './bank/transfers.js'
import { realClock, virtualClock } from './clock.js'
import { Feed } from './control/feed.js'
import { attemptRecord, deliveryRecord } from './control/records.js'
import { RequestLog } from './control/request-log.js'
import { type Database, openDatabase } from './database/open.js'
import { readSetting, writeSetting } from './database/settings.js'
import { wipe } from './database/wipe.js'
import type { AttemptNotice } from './delivery/attempt-notice.js'
import { Courier } from './delivery/courier.js'
import { readDelivery } from './delivery/deliveries.js'
import { readSubscription } from './delivery/subscriptions.js'
import { Ids } from './ids.js'
import { OptionError } from './options/option-error.js'
import type { Options } from './options/options.js'
import { plant } from './plant.js'
import type { Service } from './service.js'

/** The listeners and settings of the program and the tests. */
export interface Listeners {
  readonly onAttempt: (notice: AttemptNotice) => void
  readonly onFailure: (error: unknown) => void
  /** The port on which the sandbox listens; set once it listens. */
  readonly ownPort?: () => number
}

/** Opens the database and starts everything behind the routes. Throws `OptionError`. */
export function openService(options: Options, listeners: Listeners): Service {
  const database = openState(options.state)
  try {
    return serviceOn(database, options, listeners)
  } catch (error) {
    database.close()
    throw error
  }
}

function openState(file: string): Database {
  try {
    return openDatabase(file)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    const why =
      code === 'SQLITE_BUSY'
        ? 'is in use by another sandbox: stop that one, or name another file'
        : `cannot be used: ${message}`
    throw new OptionError('state', why)
  }
}

function serviceOn(database: Database, options: Options, listeners: Listeners): Service {
  const { onFailure } = listeners
  const clock = (options.clock === 'virtual' ? virtualClock : realClock)({
    startAt: clockStart(database, options),
  })
  const ids = new Ids(`${options.seed}:${countStart()}`, () => clock.now())
  const context = { database, clock, ids, options, onChange: publish }
  const feed = new Feed(ids.next('start'))
  const requests = new RequestLog()
  const courier = new Courier({ ...context, onAttempt: noteAttempt, onFailure })
  const progress = new Progress(context, { onMoved: moved, onFailure })
  const service: Service = {
    ...context,
    courier,
    progress,
    feed,
    requests,
    targets: { ...options, ownPort: listeners.ownPort },
    wake,
    moved,
    reset,
    onFailure,
  }
  plant(context)
  wake()
  return service

  function wake(): void {
    progress.wake()
    courier.wake()
  }

  function moved(transferIds: readonly string[]): void {
    for (const id of transferIds) {
      feed.publish('transfer', transferRecord(findTransfer(database, id), options))
    }
    wake()
  }

  function publish(kind: 'delivery' | 'subscription', id: string): void {
    const record = kind === 'delivery' ? deliveryOf(id) : subscriptionOf(id)
    if (record) {
      feed.publish(kind, record)
    }
  }

  function deliveryOf(id: string) {
    const delivery = readDelivery(database, id)
    return delivery && deliveryRecord(delivery)
  }

  function subscriptionOf(id: string) {
    const subscription = readSubscription(database, id)
    return subscription ? subscriptionRecord(subscription) : { id, status: 'deleted' }
  }

  function noteAttempt(notice: AttemptNotice): void {
    const { phase, delivery, number, of } = notice
    const attempt = phase === 'ended' ? attemptRecord(notice.attempt) : null
    feed.publish('attempt', { phase, number, of, delivery: deliveryRecord(delivery), attempt })
    listeners.onAttempt(notice)
  }

  async function reset(): Promise<void> {
    await courier.reset(() => {
      wipe(database)
      plant(context)
    })
    requests.clear()
    feed.publish('reset', {})
  }

  /** How often this state was opened before, because identifiers must differ from those of earlier starts. */
  function countStart(): number {
    const starts = Number(readSetting(database, 'starts') ?? 0)
    writeSetting(database, 'starts', String(starts + 1))
    return starts
  }
}
