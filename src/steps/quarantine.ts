import { sha256 } from '#crypto'
import type { Code } from '../codes.js'
import type { Pipeline } from '../options/settings.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { Deadline } from '../timing/deadline.js'
import { answerInTime } from './answer-in-time.js'
import type { Unusable } from './authentic.js'

/**
 * Ends an authentic delivery that cannot be acted on. A store that keeps bodies keeps it for a person, which is as
 * good as done for the sender; elsewhere the sender is told, and told again.
 */
export async function quarantine(
  pipeline: Pipeline,
  code: Code,
  unusable: Unusable,
  deadline: Deadline,
): Promise<ReceiveResult> {
  const { endpoint, ready } = pipeline
  const { inbox } = pipeline.store
  if (!inbox) return reject(code, unusable)
  const body = 'body' in unusable ? unusable.body : unusable.event.raw

  async function quarantine(): Promise<ReceiveResult> {
    await ready()
    const contentHash = await sha256(body)
    const eventId = unusable.event && { eventId: unusable.event.id }
    const outcome = await inbox?.quarantine({ endpoint, code, contentHash, body, ...eventId })
    if (outcome?.state === 'full') {
      return reject(code, { ...unusable, detail: 'the quarantine of this endpoint is full' })
    }
    return acknowledge('quarantined', { ...unusable, code })
  }

  return answerInTime(pipeline, deadline, unusable, quarantine, () => reject('store_unavailable', unusable))
}
