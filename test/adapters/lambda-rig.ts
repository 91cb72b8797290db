import { lambdaHandler } from '../../adapters/lambda.js'
import {
  createReceiver,
  memoryStore,
  type ReceiveResult,
  type ReceiverOptions,
  type Schemas,
} from '../../src/index.js'
import { fixture, testSecret } from '../../src/testing/index.js'
import {
  balancer,
  balancerWithLists,
  functionUrl,
  httpApi,
  lattice,
  latticeOne,
  restApi,
} from './lambda-callers.js'
import type { Incoming } from './lambda-gateway.js'

/** A function on AWS, and requests for it. */

export const callers = [restApi, httpApi, functionUrl, balancer, balancerWithLists, lattice, latticeOne]

export type Options = ReceiverOptions<object, Schemas, unknown>

/** A function, and the lines of its log. */
export function build(options: Partial<Options> = {}) {
  const results: ReceiveResult[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: memoryStore(),
    fallback: () => {},
    logger: false,
    onResult: (result) => results.push(result),
    ...options,
  } as ReceiverOptions<object, object & Schemas, unknown>)
  return { handle: lambdaHandler(receiver), receiver, results }
}

export const incoming = async (changes: Partial<Incoming> = {}): Promise<Incoming> => {
  const { body, headers } = await fixture('transfer.settled', { id: 'evt_1' })
  return {
    method: 'POST',
    path: '/webhooks',
    query: '',
    headers: Object.entries(headers),
    body: body.toString('utf8'),
    isBase64Encoded: false,
    ...changes,
  }
}

export const json = { 'content-type': 'application/json' }
