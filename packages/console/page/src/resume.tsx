import { Ago } from 'webhook-inbox-ui'
import type { PauseRow } from '../../src/wire.js'
import type { ActOffer } from './act-bar.js'

/** What is paused, by whom, when and why, as far as this person may know. */
export const PausedBy = ({ of, what }: { readonly of: PauseRow; readonly what?: string }) => (
  <p>
    Paused{what && `: ${what}`}
    {of.actor && ` by ${of.actor}`}, <Ago at={of.at} />
    {of.reason && `: ${of.reason}`}
  </p>
)

/** Ends the pause that is shown, and no later one of the same target. */
export const resume = (what: string, pause: PauseRow): ActOffer => ({
  path: 'flow/resume',
  body: { type: pause.type, resource: pause.resource, seen: pause.at },
  word: 'Resume',
  button: `Resume ${what}`,
  action: 'consumption:pause',
  warning: <PausedBy of={pause} />,
  done: 'Events run again.',
})
