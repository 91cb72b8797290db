import { userInfo } from 'node:os'
import { UsageError } from './exit.js'

/** The name of the user of this machine. A container may run under a user id that has none: throws `UsageError`. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    throw new UsageError('the user of this machine has no name; say who acts with --actor NAME')
  }
}
