import { sha256 } from '#crypto'
import type { Code } from '../codes.js'
import { Deadline } from '../dispatch/deadline.js'
import type { ReadEvent } from '../event/parse.js'
import { acknowledge, decline, type ReceiveResult } from '../result.js'
import type { Pipeline } from '../settings.js'

/**
 * Ends an authentic delivery that cannot be acted on. A store that keeps bodies keeps it for a person, which is as
 * good as done for the sender; elsewhere the sender is told, and told again.
 */
export async function setAside(
  pipeline: Pipeline,
  code: Code,
  body: Uint8Array,
  read: Partial<ReadEvent>,
  detail?: string,
): Promise<ReceiveResult> {
  const { endpoint, store, ready, handlerTimeoutSeconds } = pipeline
  const { inbox } = store
  if (!inbox) return decline(code, { ...read, detail })

  async function quarantine(): Promise<ReceiveResult> {
    await ready()
    const contentHash = await sha256(body)
    await inbox?.quarantine({
      endpoint,
      code,
      contentHash,
      body,
      ...(read.event && { eventId: read.event.id }),
    })
    return acknowledge('quarantined', { ...read, code })
  }

  return new Deadline(handlerTimeoutSeconds).race(
    quarantine().catch((cause: unknown) => decline('store_unavailable', { ...read, cause })),
    () => decline('store_unavailable', read),
  )
}
