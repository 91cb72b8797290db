/** A detail that the service interface does not publish, and what the sandbox does in its place. */
export interface Gap {
  readonly id: `G${number}` | `I${number}`
  readonly topic: string
  readonly assumption: string
  readonly reason: string
}

export const gap = (id: Gap['id'], topic: string, assumption: string, reason: string): Gap => ({
  id,
  topic,
  assumption,
  reason,
})
