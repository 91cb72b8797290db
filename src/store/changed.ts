import { ConflictError } from '../errors.js'

/** What the caller saw of an event is not true any more. */
export const eventChanged = () =>
  new ConflictError('event_changed', 'the event changed after it was looked at; look at it again')

export const pauseChanged = () =>
  new ConflictError(
    'pause_changed',
    'it was resumed and paused again after it was looked at; look at it again',
  )

export const groupChanged = () =>
  new ConflictError(
    'group_changed',
    'the state of the group changed after it was looked at; look at it again',
  )

export const runChanged = () =>
  new ConflictError('run_changed', 'the run was changed after it was looked at; look at it again')

export const discardChanged = () =>
  new ConflictError(
    'discard_changed',
    'it was restored and discarded again after it was looked at; look at it again',
  )
