/** The fields of the responses of the control plane that are printed. */

export interface Delivery {
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly subscriptionId: string
  readonly url: string
  readonly cause: string
  readonly state: string
  readonly attempts: number
  readonly createdAt: string
  readonly nextTryAt: string | null
}

export interface Attempt {
  readonly number: number
  readonly startedAt: string
  readonly response: { readonly status: number; readonly body: string } | null
  readonly failure: { readonly kind: string } | null
  readonly outcome: string | null
  readonly code: string | null
  readonly timings: { readonly ended: number }
}

export interface Subscription {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly status: string
  readonly secret: string
}

/** The outcome of an attempt, in a few words. */
export function verdictOf({ response, failure, outcome, code }: Attempt): string {
  if (!response) {
    return failure?.kind ?? 'failed'
  }
  return [response.status, code ?? outcome].filter((part) => part !== null).join(' ')
}
