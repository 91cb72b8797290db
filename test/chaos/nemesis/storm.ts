import type { World } from '../world.js'

/** The results of unrelated events during a storm. */
export interface Calm {
  /** Number of events sent. */
  readonly sent: number
  /** Number of events that needed only one delivery. */
  readonly atOnce: number
}

/** Sends `count` deliveries of one event, a hundred at a time, with unrelated events in between. */
export async function storm({ sender }: World, count: number): Promise<Calm> {
  // A generous limit: a delivery may be slow on a busy machine.
  sender.patienceMs = 30_000
  const entry = sender.ledger.open(await sender.event({ workMs: 300 }))
  let left = count
  let sent = 0
  let atOnce = 0

  const gust = async () => {
    while (left-- > 0) {
      await sender.attempt(entry)
    }
  }
  const bystander = async () => {
    while (left > 0) {
      const event = await sender.event()
      await sender.send(event)
      sent++
      if (sender.ledger.entries.get(event.id)?.attempts === 1) {
        atOnce++
      }
    }
  }
  await Promise.all([...Array.from({ length: 100 }, gust), bystander()])
  return { sent, atOnce }
}
