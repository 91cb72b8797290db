import { bodyFaults } from './bodies.js'
import type { Fault } from './fault.js'
import { headerFaults } from './headers.js'
import { markFaults } from './marks.js'
import { schemeFaults } from './schemes.js'
import { secretFaults } from './secrets.js'
import { serializerFaults } from './serializers.js'
import { severalFaults } from './several.js'
import { textFaults } from './texts.js'
import { timeFaults } from './times.js'

/** Every fault that the search finds. */
export const faults: readonly Fault[] = [
  ...secretFaults,
  ...schemeFaults,
  ...timeFaults,
  ...headerFaults,
  ...bodyFaults,
  ...serializerFaults,
  ...textFaults,
  ...markFaults,
  ...severalFaults,
]
