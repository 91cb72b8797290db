import { Deadline } from './dispatch/deadline.js'
import { type AnyHandler, findHandler } from './dispatch/handlers.js'
import { PayloadError, Refusal } from './errors.js'
import { type ReadEvent, readEvent } from './event/parse.js'
import type { ReceiveRequest } from './request.js'
import { acknowledge, decline, type ReceiveResult } from './result.js'
import type { Pipeline } from './settings.js'
import { accept } from './steps/accept.js'
import { act } from './steps/act.js'
import { admit, readBody } from './steps/admit.js'
import type { Authentic } from './steps/authentic.js'
import { checkOrigin } from './steps/origin.js'
import { setAside } from './steps/set-aside.js'
import { verify } from './steps/verify.js'

/**
 * The whole story of one delivery: admit, read, verify, parse, then act once or accept for later. No store is touched
 * and no JSON is parsed before the signature holds.
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

  const deadline = new Deadline(pipeline.handlerTimeoutSeconds)
  const verified = await verify(pipeline, request, body, deadline)
  if (verified instanceof Refusal) return refuse(verified)
  const { secretIndex } = verified

  const read = parse(pipeline, body)
  if (read instanceof PayloadError) {
    return setAside(pipeline, read.code, { body, secretIndex, detail: read.detail }, deadline)
  }
  const delivery = { event: read.event, warnings: read.warnings, secretIndex }

  const astray = checkOrigin(pipeline, request, read.event)
  if (astray) return refuse(astray, delivery)

  const handler = route ?? findHandler(pipeline.handlers, pipeline.fallback, read.event.type)
  if (!handler) return acknowledge('ignored', delivery)

  const { queue, store } = pipeline
  const answer =
    queue && store.inbox
      ? accept(pipeline, store.inbox, queue, delivery, deadline)
      : act(pipeline, handler, delivery, deadline)
  // To return it without `await` takes two turns of the queue of microtasks more.
  return await answer
}

const refuse = ({ code, detail, cause }: Refusal, delivery: Partial<Authentic> = {}): ReceiveResult =>
  decline(code, { ...delivery, detail, cause })

function parse(pipeline: Pipeline, body: Uint8Array): ReadEvent | PayloadError {
  try {
    return readEvent(body, pipeline.inexactNumbers)
  } catch (error) {
    if (error instanceof PayloadError) return error
    throw error
  }
}
