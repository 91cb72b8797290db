import { Note } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { AppliedRow, AppliedStates, EventDetail, Page, RunDetail } from '../../../src/wire.js'
import { WhyWords } from '../event/why.js'
import { may } from '../me.js'
import { counted } from '../state-words.js'
import { useView } from '../use-view.js'

/** Other events run soon, or their page says when. */
const holding: readonly string[] = [
  'paused',
  'circuit_open',
  'rate_limited',
  'waits_for_earlier',
  'no_worker',
]

/** Why the events that an operation set to run do not run. Of a canary the page says it elsewhere. */
export function HeldBack({ run, states }: { readonly run: RunDetail; readonly states: AppliedStates }) {
  const isAsked = states.accepted > 0 && run.canaryWait === undefined && may('events:read')
  const applied = `runs/${pathPart(run.id)}/applied?state=accepted&limit=1`
  const [first] = useView<Page<AppliedRow>>(isAsked ? applied : undefined).value?.rows ?? []
  const event = useView<EventDetail>(first && `events/${pathPart(first.eventId)}`).value
  const explanation = event?.explanation
  return first && explanation && holding.includes(explanation.reason) ? (
    <Note outcome="failed">
      <p>
        {counted(states.accepted)} {states.accepted === 1 ? 'waits' : 'wait'}. Why the first one does not run:
      </p>
      <WhyWords explanation={explanation} of={first.eventId} />
    </Note>
  ) : null
}
