import { signal } from 'webhook-inbox-ui/signals'
import type { VerificationPreview, VerifiedSome } from '../../../src/wire.js'
import { act, type CallError } from '../call.js'
import { changes } from '../live.js'
import { hrefOf } from '../route.js'

type Deliveries = ReadonlyMap<string, VerifiedSome['kept']>

/** A check of many quarantined deliveries, as far as it is. The page asks for one part after the other. */
export interface Verification {
  /** Only deliveries that were quarantined with this code; empty for all. */
  readonly code: string
  readonly reason: string
  readonly count: number
  readonly isCapped: boolean
  readonly released: number
  /** Those that stay, by their code. */
  readonly kept: Deliveries
  readonly gone: number
  /** Those whose check failed, by the code of the problem. */
  readonly unchecked: Deliveries
  readonly state: 'running' | 'stopping' | 'stopped' | 'failed' | 'done'
  /** Why it failed. */
  readonly problem?: string
  /** Sent with the first part. The server rejects it if this is not so any more. */
  readonly shown?: VerificationPreview
  /** Where the next part begins. */
  readonly cursor: string
}

/** The newest one. It continues while the person looks at another view of this page, and ends with the page. */
export const verification = signal<Verification | undefined>(undefined)

/** Why the newest one did not start: its preview was old. */
export const notStarted = signal<string | undefined>(undefined)

export const isRunning = (found: Verification): boolean =>
  found?.state === 'running' || found?.state === 'stopping'

export const countOf = (deliveries: Deliveries): number => [...deliveries.values()].flat().length

export const checkedIn = ({ released, gone, kept }: Verification): number => released + gone + countOf(kept)

/** How many of those that the preview counted were not reached. */
export const leftOf = (found: Verification): number =>
  found.isCapped ? 0 : Math.max(0, found.count - checkedIn(found) - countOf(found.unchecked))

/** Where the preview and the progress are. No key of a delivery is like it. */
export const verifyAllId = 'verify-all'

export const verifyAllHref = (code: string): string => hrefOf('quarantine', verifyAllId, [['code', code]])

/** Makes a check of what a preview counted. Rejects if the preview is old. */
export function startVerification(code: string, shown: VerificationPreview, reason: string): Promise<void> {
  const { count, isCapped, cursor = '' } = shown
  const nothing = { released: 0, kept: new Map(), gone: 0, unchecked: new Map() }
  return verify({ code, reason, count, isCapped, ...nothing, state: 'running', cursor, shown })
}

export const continueVerification = (found: Verification): void => void verify(found)

/** The part that is under way is finished. */
export function stopVerification(): void {
  const found = verification.value
  if (found?.state === 'running') {
    verification.value = { ...found, state: 'stopping' }
  }
}

/** Forgets an outcome. */
export function closeVerification(): void {
  verification.value = undefined
}

async function verify(from: Verification): Promise<void> {
  const { problem: _, ...before } = from
  let now: Verification = { ...before, state: 'running' }
  verification.value = now
  addEventListener('beforeunload', warn)
  try {
    while (isRunning(now)) {
      now = await nextPart(now)
      verification.value = now
    }
  } catch (error) {
    notStarted.value = (error as CallError).message
    verification.value = undefined
    throw error
  } finally {
    removeEventListener('beforeunload', warn)
    changes.value += 1
  }
}

async function nextPart({ shown, ...before }: Verification): Promise<Verification> {
  const { code, reason, cursor } = before
  try {
    const part = await act<VerifiedSome>('quarantine/verify-again', { code, reason, cursor, shown })
    const now = {
      ...before,
      released: before.released + part.released,
      kept: added(before.kept, part.kept),
      gone: before.gone + part.gone,
      unchecked: added(before.unchecked, part.unchecked),
    }
    // The server sees no delivery that left the quarantine before its part. Another operator, or a part without an answer, took it.
    const unseen = part.next === undefined ? leftOf(now) : 0
    return {
      ...now,
      gone: now.gone + unseen,
      state: part.next === undefined ? 'done' : isStopping() ? 'stopped' : 'running',
      cursor: part.next ?? cursor,
    }
  } catch (error) {
    const { message, said } = error as CallError
    if (said.code === 'preview_changed') {
      throw error
    }
    return { ...before, state: 'failed', problem: message }
  }
}

const isStopping = () => verification.value?.state === 'stopping'

function added(before: Deliveries, more: VerifiedSome['kept']): Deliveries {
  const kept = new Map(before)
  for (const each of more) {
    kept.set(each.code, [...(kept.get(each.code) ?? []), each])
  }
  return kept
}

/** The check ends with the page, so the browser asks first. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
