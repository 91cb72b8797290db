import { answers } from './answers.js'
import type { Broken } from './broken.js'
import { events } from './events.js'
import { repeats } from './repeats.js'
import { requests } from './requests.js'
import { headers, signatures } from './signatures.js'

/** Every broken receiver. */
export const broken: readonly Broken[] = [
  ...signatures,
  ...headers,
  ...events,
  ...requests,
  ...repeats,
  ...answers,
]
