import type { DiagnoseInput, Diagnosis } from 'webhook-inbox-diagnose'
import { bytesOf } from 'webhook-inbox-ui'
import type { Attempt, FullDelivery, HeaderPairs } from '../api/records.js'
import { config, subscriptionOf } from '../state/config.js'

export interface Explained {
  readonly diagnosis: Diagnosis
  /** When the attempt was sent, in unix seconds by the clock of the machine. */
  readonly sentAt: number
  readonly header: string | undefined
}

export const valuesOf = (headers: HeaderPairs, name: string): string[] =>
  headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)

/**
 * Checks the signature of an attempt as a receiver with the subscription's secret does. Resolves to `undefined` where the
 * subscription is deleted. `onProgress` is told how many causes of a mismatch were tried. The checker is loaded when it is first needed.
 */
export async function explain(
  delivery: FullDelivery,
  attempt: Attempt,
  onProgress: (tried: number) => void,
): Promise<Explained | undefined> {
  const subscription = subscriptionOf(delivery.subscriptionId)
  if (!subscription) {
    return undefined
  }
  const { headers, bodyBase64 } = attempt.request
  const signatures = valuesOf(headers, 'service-signature')
  const sentAt = sentSecondsOf(attempt)
  const input: DiagnoseInput = {
    body: bytesOf(bodyBase64),
    header: signatures,
    id: valuesOf(headers, 'service-event-id')[0],
    secret: { name: 'the secret of the subscription', secret: subscription.secret },
    otherSecrets: otherSecrets(subscription.id),
    scheme: config.value?.scheme ?? undefined,
    now: sentAt,
    showExpected: true,
    onProgress,
  }
  const { diagnose } = await import('webhook-inbox-diagnose')
  return { diagnosis: await diagnose(input), sentAt, header: signatures[0] }
}

const otherSecrets = (id: string) =>
  (config.value?.subscriptions ?? [])
    .filter((each) => each.id !== id)
    .map((each) => ({ name: `the secret of ${each.url}`, secret: each.secret }))

/** `startedAt` is by the clock of the sandbox, which may be virtual. A receiver judges by the clock of the machine. */
export const sentSecondsOf = ({ sentAt, startedAt }: Attempt): number =>
  Math.floor(Date.parse(sentAt ?? startedAt) / 1000)
