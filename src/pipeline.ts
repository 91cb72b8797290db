import { type HmacKey, sha256 } from '#crypto'
import { admit, readBody } from './admit.js'
import { dedupeKey } from './dedupe/key.js'
import type { EventRef, OnceOutcome } from './dedupe/store.js'
import { Deadline } from './dispatch/deadline.js'
import { type AnyHandler, findHandler } from './dispatch/handlers.js'
import { HandlerFailure, runHandler } from './dispatch/run-handler.js'
import { PayloadError, Refusal } from './errors.js'
import type { WebhookEvent } from './event/event.js'
import { type ReadEvent, readEvent } from './event/parse.js'
import { checkData } from './event/schema.js'
import type { Settings } from './options.js'
import { header, type ReceiveRequest } from './request.js'
import { acknowledge, decline, type ReceiveResult } from './result.js'
import { checkSignature } from './signature/verify.js'

/** Everything that one delivery needs, prepared when the receiver was built. */
export interface Pipeline extends Settings {
  readonly keysFor: (request: ReceiveRequest) => readonly HmacKey[] | Promise<readonly HmacKey[]>
  /** Resolves once the store has passed its check; rejects while it has not. */
  readonly ready: () => Promise<void> | undefined
}

/**
 * The whole story of one delivery: admit, read, verify, parse, decide once who runs it, work, answer. No store is
 * touched and no JSON is parsed before the signature holds.
 *
 * `route` takes the place of the handlers where a middleware lets a route do the work.
 */
export async function receive(
  pipeline: Pipeline,
  request: ReceiveRequest,
  route?: AnyHandler,
): Promise<ReceiveResult> {
  const barred = admit(request, pipeline.maxBodyBytes)
  if (barred) return refuse(barred)

  const body = await readBody(request, pipeline.maxBodyBytes)
  if (body instanceof Refusal) return refuse(body)

  const forged = await verify(pipeline, request, body)
  if (forged) return refuse(forged)

  try {
    const read = readEvent(body, pipeline.inexactNumbers)
    const unacceptable = checkOrigin(pipeline, request, read.event)
    if (unacceptable) return refuse(unacceptable, read.event)

    const handler = route ?? findHandler(pipeline.handlers, pipeline.fallback, read.event.type)
    if (!handler) return acknowledge('ignored', read.event, read)

    return await actOnce(pipeline, handler, read)
  } catch (error) {
    if (error instanceof PayloadError) return decline(error.code, { detail: error.detail })
    throw error
  }
}

const refuse = ({ code, detail, cause }: Refusal, event?: WebhookEvent): ReceiveResult =>
  decline(code, { detail, cause, ...(event && { event }) })

async function verify(
  pipeline: Pipeline,
  request: ReceiveRequest,
  body: Uint8Array,
): Promise<Refusal | undefined> {
  const keys = await loadKeys(pipeline, request)
  if (keys instanceof Refusal) return keys
  const id = header(request, 'service-event-id')
  const verified = await checkSignature({
    ...pipeline,
    body,
    header: header(request, 'service-signature'),
    keys,
    id: typeof id === 'string' ? id : undefined,
  })
  return verified instanceof Refusal ? verified : undefined
}

async function loadKeys(pipeline: Pipeline, request: ReceiveRequest): Promise<readonly HmacKey[] | Refusal> {
  try {
    const keys = pipeline.keysFor(request)
    if (!(keys instanceof Promise)) return keys
    const late = () => new Refusal('secret_unavailable', 'the resolver is over handlerTimeoutSeconds')
    return await new Deadline(pipeline.handlerTimeoutSeconds).race<readonly HmacKey[] | Refusal>(keys, late)
  } catch (cause) {
    return new Refusal('secret_unavailable', undefined, cause)
  }
}

/** The unsigned id header must name the signed event, and the event must come from an environment we serve. */
function checkOrigin(pipeline: Pipeline, request: ReceiveRequest, event: WebhookEvent): Refusal | undefined {
  const id = header(request, 'service-event-id')
  if (id === undefined || id === null) {
    if (pipeline.requireEventIdHeader) return new Refusal('event_id_missing')
  } else if (!isSameId(id, event.id)) return new Refusal('event_id_mismatch')

  const { environments } = pipeline
  if (environments && event.environment !== undefined && !environments.includes(event.environment)) {
    return new Refusal('environment_not_allowed', event.environment)
  }
  return undefined
}

/** Headers reach us as one character a byte, so an id beyond ASCII looks different there. */
function isSameId(fromHeader: string | readonly string[], id: string): boolean {
  if (fromHeader === id) return true
  return fromHeader === Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('')
}

/** Lets the store decide whether this delivery runs the event, and answers in time whatever it decides. */
async function actOnce(pipeline: Pipeline, handler: AnyHandler, read: ReadEvent): Promise<ReceiveResult> {
  const deadline = new Deadline(pipeline.handlerTimeoutSeconds)
  const { warnings } = read
  let isRunning = false

  async function act(): Promise<ReceiveResult> {
    const event = await fitData(pipeline, read)
    await pipeline.ready()
    const ref = await eventRef(pipeline, event)
    const outcome = await pipeline.store.once(ref, async (work) => {
      // A claim that comes after the answer is given back, not used.
      if (deadline.aborted) throw new Error('the claim came too late')
      isRunning = true
      await runHandler(handler, event, work, deadline, warnings)
      isRunning = false
    })
    return toResult(outcome, ref, event, warnings)
  }

  return deadline.race(
    act().catch((error: unknown) => toFailure(error, read)),
    () => decline(isRunning ? 'handler_timeout' : 'store_unavailable', read),
  )
}

async function fitData({ schemas }: Pipeline, { event, warnings }: ReadEvent): Promise<WebhookEvent> {
  const data = await checkData(event.type, event.data, schemas, warnings)
  return data === event.data ? event : { ...event, data }
}

function toFailure(error: unknown, { event, warnings }: ReadEvent): ReceiveResult {
  if (error instanceof HandlerFailure)
    return decline('handler_failed', { event, warnings, cause: error.cause })
  if (error instanceof PayloadError) return decline(error.code, { event, warnings, detail: error.detail })
  return decline('store_unavailable', { event, warnings, cause: error })
}

async function eventRef(pipeline: Pipeline, event: WebhookEvent): Promise<EventRef> {
  const { endpoint, leaseSeconds, retentionSeconds, handlerTimeoutSeconds } = pipeline
  return {
    key: await dedupeKey(endpoint, event.id),
    contentHash: await sha256(event.raw),
    terms: {
      leaseSeconds,
      retentionSeconds,
      workSeconds: handlerTimeoutSeconds,
      waitSeconds: Math.min(longestWaitSeconds, handlerTimeoutSeconds / 2),
    },
    endpoint,
    id: event.id,
    type: event.type,
    createdAt: event.createdAt,
    body: event.raw,
  }
}

/** A twin is answered `in_progress` rather than kept waiting longer than this. */
const longestWaitSeconds = 2

function toResult(
  outcome: OnceOutcome<void>,
  ref: EventRef,
  event: WebhookEvent,
  warnings: readonly string[],
): ReceiveResult {
  switch (outcome.state) {
    case 'done':
      return acknowledge('processed', event, { warnings })
    case 'duplicate':
      return outcome.contentHash === ref.contentHash
        ? acknowledge('duplicate', event, { warnings })
        : decline('event_id_conflict', { event, warnings })
    case 'busy':
      return decline('in_progress', { event, warnings, retryAfterSeconds: outcome.retryAfterSeconds })
    case 'lost':
      return decline('in_progress', { event, warnings, retryAfterSeconds: 1 })
  }
}
