import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { LineLog } from '../report/logger.js'
import type { ReceiveRequest } from '../request.js'
import type { ReceiveResult } from '../result.js'
import { Deadline } from '../timing/deadline.js'

/** The status, headers and body of a response. */
export type Answer = Pick<ReceiveResult, 'status' | 'headers' | 'body'>

/** What every adapter mounts: a receiver, or a probe of one. */
export interface Answering {
  receive(request: ReceiveRequest): Promise<Answer>
}

export interface ReadinessOptions {
  /** How long store and queue may take, in seconds. Default 2 s. */
  readonly timeoutSeconds?: number | undefined
}

/** A request that asks again within this time gets the same response, so that probes put no load on the store. */
const sharedSeconds = 1

/** Says that the process runs: 200 to every GET and HEAD, whatever the state of store and queue. */
export const liveness = (): Answering => ({ receive: async (request) => answer(request, 200, 'alive') })

/**
 * Says whether store and queue can be reached: 200 or 503. It is 503 from the moment when the receiver stops. The response
 * holds no detail, since anybody may ask. The log gets the reason, once for each change.
 */
export function readiness(
  check: () => Promise<unknown>,
  options: ReadinessOptions,
  logger: LineLog,
  isStopping: () => boolean,
): Answering {
  givenOptions('readiness', options, ['timeoutSeconds'])
  const { timeoutSeconds = 2 } = options
  if (!(typeof timeoutSeconds === 'number' && timeoutSeconds > 0 && timeoutSeconds <= 3600)) {
    throw invalidOption('timeoutSeconds must be a positive number, at most an hour')
  }
  let wasReady = true
  let latest: { readonly at: number; readonly isReady: Promise<boolean> } | undefined

  let asks = 0
  let newest = 0

  async function ask(): Promise<boolean> {
    const number = ++asks
    let reason: unknown
    const asked = check().then(
      () => true,
      (error) => {
        reason = error
        return false
      },
    )
    const isReady = await new Deadline(timeoutSeconds).race(asked, () => {
      reason = new Error(`no response within ${timeoutSeconds} s`)
      return false
    })
    if (number < newest) {
      // A check that was asked later has answered: this one says how it was before.
      return isReady
    }
    newest = number
    if (isReady !== wasReady) {
      wasReady = isReady
      if (isReady) {
        logger.info('ready again')
      } else {
        logger.error('not ready: store or queue cannot be reached', reason)
      }
    }
    return isReady
  }

  return {
    async receive(request) {
      if (isStopping()) {
        return answer(request, 503, 'stopping')
      }
      const now = performance.now()
      if (!latest || now - latest.at >= sharedSeconds * 1000) {
        latest = { at: now, isReady: ask() }
      }
      return (await latest.isReady) ? answer(request, 200, 'ready') : answer(request, 503, 'unavailable')
    },
  }
}

function answer({ method = 'GET' }: ReceiveRequest, status: number, state: string): Answer {
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, headers: { allow: 'GET, HEAD' }, body: '' }
  }
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers, body: method === 'HEAD' ? '' : JSON.stringify({ status: state }) }
}
