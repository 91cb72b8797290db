import { describe } from 'vitest'
import { admissionCases } from './suite/admission.js'
import { bytesCases } from './suite/bytes.js'
import { caseWith, type Deviation } from './suite/cases.js'
import { connectionCases } from './suite/connection.js'
import { outcomeCases } from './suite/outcomes.js'
import { type ParserMounts, parserCases } from './suite/parsers.js'
import type { Mount } from './suite/rig.js'
import { signatureCases } from './suite/signature.js'

export { type Case, caseWith, type Deviation } from './suite/cases.js'
export { type MountRoute, middlewareSuite, type RouteCall, type SuiteRoute } from './suite/middleware.js'
export { type Mount, type Mounted, type Rig, rig } from './suite/rig.js'

export interface AdapterSuiteOptions extends ParserMounts {
  /** The adapter has the socket in its hands, as those of Node have, and so decides when it closes. Default false. */
  readonly ownsConnection?: boolean
  /** Tests that this environment cannot pass, by name, each with the reason. */
  readonly skip?: readonly Deviation[]
}

/**
 * What every adapter must do, over real sockets. `mount` starts a server on a free port with the receiver behind the
 * adapter and resolves to the url of the webhook and a way to stop; it is called once a test.
 */
export function adapterSuite(name: string, mount: Mount, options: AdapterSuiteOptions = {}): void {
  describe(name, () => {
    const test = caseWith(options.skip)
    describe('bytes', () => bytesCases(test, mount))
    describe('signature', () => signatureCases(test, mount))
    describe('admission', () => admissionCases(test, mount))
    describe('outcomes', () => outcomeCases(test, mount))
    describe('connection', () => connectionCases(test, mount, options.ownsConnection ?? false))
    parserCases(test, options)
  })
}
