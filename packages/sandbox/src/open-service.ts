import { clockStart } from './advance.js'
import { Progress } from './bank/progress.js'
import { realClock, virtualClock } from './clock.js'
import type { Context } from './context.js'
import { Feed } from './control/feed.js'
import { publishAttempt, publishRecord, publishTransfers } from './control/publish.js'
import { RequestLog } from './control/request-log.js'
import { type Database, openDatabase } from './database/open.js'
import { readSetting, writeSetting } from './database/settings.js'
import { wipe } from './database/wipe.js'
import type { AttemptNotice } from './delivery/attempt-notice.js'
import { Courier } from './delivery/courier.js'
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

function serviceOn(
  database: Database,
  options: Options,
  { onAttempt, onFailure, ownPort }: Listeners,
): Service {
  const clock = (options.clock === 'virtual' ? virtualClock : realClock)({
    startAt: clockStart(database, options),
  })
  const ids = new Ids(`${options.seed}:${countStart(database)}`, () => clock.now())
  const feed = new Feed(ids.next('start'))
  const requests = new RequestLog()
  const onChange: Context['onChange'] = (kind, id) => publishRecord(feed, database, kind, id)
  const context: Context = { database, clock, ids, options, onChange }
  const noteAttempt = (notice: AttemptNotice) => {
    publishAttempt(feed, notice)
    onAttempt(notice)
  }
  const moved = (transferIds: readonly string[]) => {
    publishTransfers(feed, context, transferIds)
    wake()
  }
  const courier = new Courier({ ...context, onAttempt: noteAttempt, onFailure })
  const progress = new Progress(context, { onMoved: moved, onFailure })
  const wake = () => {
    progress.wake()
    courier.wake()
  }
  const reset = async () => {
    await courier.reset(() => {
      wipe(database)
      plant(context)
    })
    requests.clear()
    feed.publish('reset', {})
  }
  plant(context)
  wake()
  const targets = { ...options, ownPort }
  return { ...context, courier, progress, feed, requests, targets, wake, moved, reset, onFailure }
}

/** How often this state was opened before, because identifiers must differ from those of earlier starts. */
function countStart(database: Database): number {
  const starts = Number(readSetting(database, 'starts') ?? 0)
  writeSetting(database, 'starts', String(starts + 1))
  return starts
}
