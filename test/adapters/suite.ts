import { describe } from 'vitest'
import { admissionCases } from './suite/admission.js'
import { bytesCases } from './suite/bytes.js'
import { caseWith, type Deviation } from './suite/cases.js'
import { connectionCases } from './suite/connection.js'
import { failureCases } from './suite/failures.js'
import { outcomeCases } from './suite/outcomes.js'
import { type ParserMounts, parserCases } from './suite/parsers.js'
import type { Mount } from './suite/rig.js'
import { signatureCases } from './suite/signature.js'

export { type Case, caseWith, type Deviation } from './suite/cases.js'
export { type MountRoute, middlewareSuite, type RouteCall, type SuiteRoute } from './suite/middleware.js'
export { type Mount, type Mounted, type Rig, rig } from './suite/rig.js'

export interface AdapterSuiteOptions extends ParserMounts {
  /** Whether the adapter controls the socket and decides when it closes, as the adapters for Node do. Default false. */
  readonly ownsConnection?: boolean
  /** Tests that this environment cannot pass, by name, with the reason. */
  readonly skip?: readonly Deviation[]
}

/**
 * Tests an adapter over real sockets. Each test calls `mount` once, which starts a server on a free port with the receiver
 * behind the adapter. It resolves to the url of the webhook and a function that stops the server.
 */
export function adapterSuite(name: string, mount: Mount, options: AdapterSuiteOptions = {}): void {
  describe(name, () => {
    const test = caseWith(options.skip)
    describe('bytes', () => bytesCases(test, mount))
    describe('signature', () => signatureCases(test, mount))
    describe('admission', () => admissionCases(test, mount))
    describe('outcomes', () => {
      outcomeCases(test, mount)
      failureCases(test, mount)
    })
    describe('connection', () => connectionCases(test, mount, options.ownsConnection ?? false))
    parserCases(test, options)
  })
}
