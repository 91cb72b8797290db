import type { StoredEvent } from 'webhook-inbox'
import type { Options } from '../command.js'
import type { World } from '../world.js'
import { stateOption } from './find-events.js'
import { nothingDone } from './or-nothing-done.js'

export const expectedState = {
  state: { ...stateOption.state, help: 'Act only if the event is still in this state' },
} as const satisfies Options

/**
 * Throws `NothingDoneError` if the event is not in the state that the operator saw. A done event needs a question or
 * `--state done`: an event that was dead in a list may be done when the command runs. `--yes` answers every question.
 */
export function requireState(
  { id, state }: Pick<StoredEvent, 'id' | 'state'>,
  values: { readonly state?: string | undefined; readonly yes: boolean; readonly 'dry-run': boolean },
  { stdin }: Pick<World, 'stdin'>,
): void {
  if (values.state !== undefined && values.state !== state) {
    throw nothingDone(`${id} is ${state}, not ${values.state}`)
  }
  const isAsked = !values.yes && stdin.isTTY
  if (state === 'done' && values.state === undefined && !isAsked && !values['dry-run']) {
    throw nothingDone(`${id} is done, so its effects would be repeated; to do so, add --state done --yes`)
  }
}
