import type { Case, Group } from '../case.js'
import { accepts } from './accepts.js'
import { answers } from './answers.js'
import { bodies } from './bodies.js'
import { bytes } from './bytes.js'
import { connections } from './connections.js'
import { effects } from './effects.js'
import { headers } from './headers.js'
import { rejects } from './rejects.js'
import { repeats } from './repeats.js'

/** Every case by group, in the order in which they run. */
export const casesByGroup: Readonly<Record<Group, readonly Case[]>> = {
  accepts,
  bytes,
  rejects: [...rejects, ...headers].map((each) => ({ ...each, expectsRefusal: true })),
  bodies: bodies.map((each) => ({ ...each, expectsRefusal: true })),
  connections,
  repeats,
  effects,
  answers,
}
