import type { EventDetail } from '../wire.js'
import { laterWords } from './later-words.js'
import { undoWords } from './undo-words.js'

type Known = Pick<EventDetail, 'state' | 'rounded' | 'lastError'> &
  Partial<Pick<EventDetail, 'explanation' | 'laterDone' | 'copies' | 'givenUp' | 'quarantined'>>

/** What a dialog says before a change of this event. */
export function beforeAct(
  event: Known,
  receiver: { readonly undoSeconds: number },
): NonNullable<EventDetail['before']> {
  const { state, laterDone = 0, copies = [], rounded, quarantined, explanation } = event
  const other = quarantined && 'A delivery with the same id and other content is in quarantine.'
  const running =
    isClaimed(explanation) &&
    'A handler runs it now. Wait until that has ended, because this changes nothing before.'
  return {
    replay: lines(
      state === 'done' && 'It was done before: its handler runs a second time.',
      givenUpWords(event),
      other && `${other} This runs the stored event. Compare the two first.`,
      laterWords(laterDone, 'This event'),
      copies.length > 0 &&
        state === 'dead' &&
        'An edited copy of it was run. This runs the original as well.',
      rounded && `${rounded}: the handler gets it rounded.`,
    ),
    discard: sentences(
      'It is deleted.',
      undoWords(receiver),
      other && `${other} This does not change that delivery.`,
    ),
    retryNow: sentences(other && `${other} This runs the stored event. Compare the two first.`, running),
    giveUp: sentences('The event becomes dead. It does not run until somebody replays it.', running),
    edit: sentences(other && `${other} Compare it with this event first.`, laterWords(laterDone, 'The copy')),
  }
}

/** Whether a process has claimed it, so that nothing else can change it. */
const isClaimed = (explanation: Known['explanation']) =>
  explanation?.reason === 'running' || explanation?.reason === 'stalled'

function givenUpWords({ givenUp, lastError = '' }: Known): string | undefined {
  return givenUp && `${givenUp.actor ?? 'An operator'} gave it up: ${lastError.replace(/[^.!?]$/, '$&.')}`
}

type Words = readonly (string | false | undefined)[]

const sentences = (...each: Words): string => each.filter(Boolean).join(' ')

const lines = (...each: Words): string => each.filter(Boolean).join('\n')
