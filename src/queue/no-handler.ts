import { JobNotDone } from '../errors.js'

/** Tells a queue that this process has no handler for the type of the event. Another process may have one. */
export class NoHandler extends JobNotDone {
  constructor(type: string) {
    super(`no handler for ${type} in this process`)
  }
}
