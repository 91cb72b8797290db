import { clockRecord } from './control/control-records.js'
import type { Database } from './database/open.js'
import { readSetting, writeSetting } from './database/settings.js'
import type { Options } from './options/options.js'
import type { Service } from './service.js'

/** Where a virtual clock starts, so that the same seed gives the same identifiers. */
const virtualStart = Date.UTC(2026, 0, 1)

const setting = 'clock'

/**
 * The start time of the clock, in unix milliseconds. A virtual clock continues at its last time. A real clock stays ahead of
 * the system clock by the same time. So the planned steps of a state file keep their intervals.
 */
export function clockStart(database: Database, { clock }: Options): number {
  const kept = Number(readSetting(database, setting) ?? 0)
  return clock === 'virtual' ? Math.max(virtualStart, kept) : Date.now() + kept
}

/**
 * Advances the clock and waits for everything that becomes due. The time of the clock survives a restart. Readers of the
 * stream get a message.
 */
export async function advance(service: Service, seconds: number): Promise<void> {
  const { clock, database, options, feed } = service
  await clock.advance(seconds)
  const kept = options.clock === 'virtual' ? clock.now() : clock.now() - Date.now()
  writeSetting(database, setting, String(Math.max(0, kept)))
  feed.publish('clock', clockRecord(service))
}
