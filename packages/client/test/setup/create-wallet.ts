import type { Client } from '../../src/index.js'
import { json } from './service.js'

/** A response that asks the client to come back later. */
export const problem = (status: number, headers: Record<string, string> = {}) =>
  json(status, { title: 'Not now', status }, headers)

/** The call that the tests of retries make. */
export const make = (client: Client, signal?: AbortSignal) =>
  client.wallets.create({ owner: 'cus_ada', currency: 'KES' }, { signal })
