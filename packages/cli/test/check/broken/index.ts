import { answers } from './answers.js'
import type { Broken } from './broken.js'
import { events } from './events.js'
import { headers } from './headers.js'
import { repeats } from './repeats.js'
import { requests } from './requests.js'
import { signatures } from './signatures.js'

/** Every broken receiver. */
export const broken: readonly Broken[] = [
  ...signatures,
  ...headers,
  ...events,
  ...requests,
  ...repeats,
  ...answers,
]
