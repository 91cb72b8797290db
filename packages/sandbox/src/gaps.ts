import type { Gap } from './gaps/gap.js'
import { notMentioned } from './gaps/not-mentioned.js'
import { notShown } from './gaps/not-shown.js'

export type { Gap } from './gaps/gap.js'

/** Every gap that shows in the sandbox. `docs/gaps.md` is generated from this table. */
export const gaps: readonly Gap[] = [...notShown, ...notMentioned]
