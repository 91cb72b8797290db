import { describe } from 'vitest'
import { caseWith, type Deviation } from './cases.js'
import { answerCases } from './middleware-answers.js'
import { dropCases } from './middleware-drops.js'
import { lateCases } from './middleware-late.js'
import { markCases } from './middleware-marks.js'
import type { MountRoute } from './middleware-rig.js'

export type { MountRoute, RouteCall, SuiteRoute } from './middleware-rig.js'

/** Tests the middleware form of an adapter over real sockets. Each test calls `mount` once. */
export function middlewareSuite(name: string, mount: MountRoute, skip?: readonly Deviation[]): void {
  describe(`${name}, middleware form`, () => {
    const test = caseWith(skip)
    answerCases(test, mount)
    markCases(test, mount)
    lateCases(test, mount)
    dropCases(test, mount)
  })
}
