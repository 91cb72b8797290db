import { lambdaHandler } from '../../adapters/lambda.js'
import { bufferedUploads } from './buffered-uploads.js'
import {
  balancer,
  balancerWithLists,
  functionUrl,
  httpApi,
  lattice,
  latticeOne,
  restApi,
} from './lambda-callers.js'
import { gateway } from './lambda-gateway.js'
import { listen } from './suite/listen.js'
import { adapterSuite, type Deviation } from './suite.js'

const buffers = bufferedUploads('what stands before the function')
const joins: Deviation = {
  reason:
    'the caller joins repeated headers with a comma, and t=…,v1=good,v1=other is a good header (two timestamps are rejected: lambda-event.test.ts)',
  tests: ['a repeated signature header is rejected, even if both are valid'],
}
const keepsTheLast: Deviation = {
  reason: 'without multi value headers a load balancer hands over the last of repeated headers alone',
  tests: [
    'a repeated signature header is rejected, even if both are valid',
    'a repeated event id header is rejected',
  ],
}
const mendsText: Deviation = {
  reason:
    'a body that is handed over as text has had its invalid UTF-8 replaced: the signature no longer holds',
  tests: [
    'invalid UTF-8 with a valid signature is invalid_encoding',
    'every byte value reaches the signature check unchanged',
  ],
}

// There is no AWS here. A real socket leads to an emulation of the service before a function (lambda-gateway.ts).
for (const [caller, skip] of [
  [restApi, []],
  [functionUrl, [joins]],
  [balancerWithLists, []],
  [lattice, []],
  [latticeOne, [joins]],
] as const) {
  adapterSuite(
    `Lambda behind an emulated ${caller.name}, bodies in base64`,
    (receiver) => listen(gateway(caller, lambdaHandler(receiver), true)),
    { skip: [buffers, ...skip] },
  )
}

for (const [caller, skip] of [
  [restApi, []],
  [httpApi, [joins]],
  [balancer, [keepsTheLast]],
] as const) {
  adapterSuite(
    `Lambda behind an emulated ${caller.name}, bodies as text`,
    (receiver) => listen(gateway(caller, lambdaHandler(receiver), false)),
    { skip: [buffers, mendsText, ...skip] },
  )
}
