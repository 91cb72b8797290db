import type { World } from '../world.js'

/** What unrelated events met with in the middle of a storm. */
export interface Calm {
  /** How many were sent. */
  readonly sent: number
  /** How many of them needed one delivery only. */
  readonly atOnce: number
}

/** So many deliveries of one event, a hundred at a time; unrelated events are sent in between. */
export async function storm({ sender }: World, count: number): Promise<Calm> {
  // What is slow on a busy machine is not crowded out.
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
