import { onTestFinished } from 'vitest'
import type { Webhook } from '../../../adapters/node/guard-route.js'
import type { GateOptions } from '../../../src/receiver.js'
import { memoryStore } from '../../../src/stores/memory.js'
import { type Mounted, watched } from './rig.js'
import { secret } from './signed.js'

/** The actions of a route, for any framework. */
export interface RouteCall {
  readonly webhook: Webhook
  /** Sends a response with the API of the framework. */
  reply(status: number, body?: string): unknown
  /** Sends a stream of chunks with the API of the framework. */
  stream(status: number, chunks: AsyncIterable<string>): unknown
}

export type SuiteRoute = (call: RouteCall) => unknown

/** Starts a real server with the middleware and a route behind it. */
export type MountRoute = (options: GateOptions, route: SuiteRoute) => Mounted | Promise<Mounted>

export async function rig(mount: MountRoute, route: SuiteRoute, options: Partial<GateOptions> = {}) {
  const watch = watched(options.store ?? memoryStore())
  const calls: RouteCall[] = []
  const mounted = await mount({ secret, ...watch.options, ...options, store: watch.store }, (call) => {
    calls.push(call)
    return route(call)
  })
  onTestFinished(async () => void (await mounted.close()))
  return { url: mounted.url, calls, ...watch.seen }
}
