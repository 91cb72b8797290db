import type { Code, InspectedQuarantine, StoredQuarantine } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { quarantineRow } from '../views/event-row.js'
import { idInBody } from '../views/id-in-body.js'
import { originalOf } from '../views/original.js'
import { shownReason, shownWarnings } from '../views/shown-reason.js'
import { spreadSample } from '../views/spread-sample.js'
import type { PreviewedDelivery, VerificationPreview } from '../wire.js'
import { type ActCall, placeAt } from './route.js'

/** A preview counts this many deliveries. It is the default limit of a quarantine. */
const mostCounted = 10_000
/** How many deliveries a preview checks. */
const sampled = 10

/** Which deliveries a check of many takes, and what it would say of some of them. */
export async function previewOf(call: ActCall): Promise<VerificationPreview> {
  const { receiver, body } = call
  const query = { code: codeOf(call), after: placeAt(body.cursor) }
  const found = await receiver.quarantined({ ...query, limit: mostCounted + 1, bodies: false })
  const matching = found.slice(0, mostCounted)
  const sample: PreviewedDelivery[] = []
  const isShown = await call.may('events:read')
  const isNamed = await call.may('audits:read')
  for (const { key } of isShown ? spreadSample(matching, ({ code }) => code, sampled) : []) {
    const delivery = await receiver.inspectQuarantined(key)
    delivery && sample.push(await previewed(call, delivery, isNamed))
  }
  const [newest] = matching
  return {
    count: matching.length,
    isCapped: found.length > mostCounted,
    codes: countsOf(matching),
    sample,
    ...(newest && { cursor: String(newest.place + 1) }),
  }
}

/** Throws a `Problem` unless a preview says the same now as the one that the person was shown. */
export async function requireAsShown(call: ActCall): Promise<void> {
  if (call.body.shown === undefined) {
    return
  }
  const { count, codes, sample }: Partial<VerificationPreview> = Object(call.body.shown)
  if (!Array.isArray(codes) || !Array.isArray(sample)) {
    throw new Problem('invalid_request', 'shown must be the preview that was shown')
  }
  const now = await previewOf(call)
  if (JSON.stringify(now.codes) !== JSON.stringify(codes)) {
    throw new Problem(
      'preview_changed',
      `Since the preview, deliveries left the quarantine or came back: ${count} matched then, and ${now.count} match now.`,
    )
  }
  const before = new Map(sample.map((each: PreviewedDelivery) => [each.key, each]))
  if (now.sample.some((each) => differs(each, before.get(each.key)))) {
    throw new Problem(
      'preview_changed',
      'Since the preview, the check of some deliveries has another result.',
    )
  }
}

/** A function of the program that throws may throw only sometimes. That must not stop a check each time. */
function differs(now: PreviewedDelivery, before: PreviewedDelivery | undefined): boolean {
  const codes = [before?.rejection?.code, now.rejection?.code]
  const isUncertain = before === undefined || codes.includes('handler_failed')
  return !isUncertain && (codes[0] !== codes[1] || String(before.warnings) !== String(now.warnings))
}

async function previewed(
  { receiver, options, may }: ActCall,
  delivery: InspectedQuarantine,
  isNamed: boolean,
): Promise<PreviewedDelivery> {
  const { body, eventId, warnings = [] } = delivery
  const isAsked = eventId === undefined && (await may('bodies:read'))
  const kept = eventId === undefined ? undefined : await receiver.inspect(eventId)
  const conflict = kept && { code: 'event_id_conflict', detail: `the event with this id is ${kept.state}` }
  const rejection = delivery.rejection ?? conflict
  return {
    ...quarantineRow(delivery, isAsked ? idInBody(body, options.mask) : undefined),
    ...(rejection && { rejection: shownReason(rejection, body, options) }),
    ...(kept ? {} : await originalOf(receiver, eventId, isNamed)),
    warnings: shownWarnings(warnings, body, options),
  }
}

/** How many deliveries each code has, the most frequent first. */
function countsOf(deliveries: readonly StoredQuarantine[]): VerificationPreview['codes'] {
  const counts = new Map<string, number>()
  for (const { code } of deliveries) {
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count)
}

/** Throws a `Problem` for anything but a text. The receiver rejects a code that does not exist. */
export function codeOf({ body: { code } }: ActCall): Code | undefined {
  if (code !== undefined && typeof code !== 'string') {
    throw new Problem('invalid_request', 'code must be a string')
  }
  return (code || undefined) as Code | undefined
}
