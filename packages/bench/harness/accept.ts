import type { Receiver } from 'webhook-inbox'
import { deliveryOf } from 'webhook-inbox/testing'

/** Delivers events one after another, and returns how long each took, in milliseconds. */
export async function acceptFor(receiver: Pick<Receiver, 'receive'>, seconds: number): Promise<number[]> {
  const taken: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const id = `evt_${crypto.randomUUID()}`
    const event = { id, type: 'bench', created_at: '2026-01-01T00:00:00Z', data: { text: 'x'.repeat(800) } }
    const delivery = await deliveryOf(JSON.stringify(event), { id })
    const startedAt = performance.now()
    const { outcome } = await receiver.receive(delivery)
    taken.push(performance.now() - startedAt)
    if (outcome !== 'accepted') {
      throw new Error(`the delivery was ${outcome}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return taken
}
