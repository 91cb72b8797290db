import { describe, expect, it } from 'vitest'
import { whoDid } from '../src/routes/as-seen.js'
import { unknownWords } from '../src/unknown-words.js'
import { beforeAct } from '../src/views/before-act.js'
import { unnamedSentence } from '../src/views/explanation.js'
import { undoWords } from '../src/views/undo-words.js'

const sent = 'The sender got its 200, so it does not send it again by itself.'

it.each([
  [0, 'You cannot undo this: undoSeconds is 0.'],
  [1, 'You can undo this for 1 second.'],
  [59, 'You can undo this for 59 seconds.'],
  [60, 'You can undo this for 1 minute.'],
  [61, 'You can undo this for 61 seconds.'],
  [600, 'You can undo this for 10 minutes.'],
  [3600, 'You can undo this for 1 hour.'],
  [5400, 'You can undo this for 90 minutes.'],
  [7200, 'You can undo this for 2 hours.'],
  [0.5, 'You can undo this for 0.5 seconds.'],
])('with %d s for undo a discard says so', (undoSeconds, words) => {
  expect(undoWords({ undoSeconds })).toBe(`${words} ${sent}`)
})

const by = ' at 12:00 by Ann: too fast.'
it.each([
  ['replay', 'replayed'],
  ['replayEdited', 'run as an edited copy'],
  ['retryNow', 'set to run now'],
  ['giveUp', 'given up'],
  ['verifyAgain', 'released from quarantine'],
  ['startRun', 'started'],
  ['acknowledgeGroup', 'acknowledged'],
  ['resolveGroup', 'resolved'],
  ['reopenGroup', 'opened again'],
  ['pauseRun', 'paused'],
  ['resumeRun', 'resumed'],
  ['cancelRun', 'cancelled'],
  ['undo', 'undone'],
  ['discard', 'discarded'],
  ['pause', 'paused'],
  ['resume', 'resumed'],
  ['somethingNew', 'changed'],
])('the act %s is told as %s', (action, word) => {
  expect(whoDid({ action, at: '12:00', actor: 'Ann', reason: 'too fast' })).toBe(`It was ${word}${by}`)
})

it.each([
  ['too fast.', 'too fast.'],
  ['too fast!', 'too fast!'],
  ['too fast?', 'too fast?'],
  ['too fast. Really', 'too fast. Really.'],
  ['$1', '$1.'],
])('a reason %j ends a sentence as %j', (reason, words) => {
  const did = { action: 'undo', at: '12:00', actor: 'Ann', reason }
  expect(whoDid(did)).toBe(`It was undone at 12:00 by Ann: ${words}`)
  expect(whoDid(did, 'taken back')).toBe(`It was taken back at 12:00 by Ann: ${words}`)
})

const unknown = (what: string) =>
  `It is unknown whether it was changed. Look at ${what} before you try again.`
it.each([
  ['events/evt_1/replay', unknown('the event')],
  ['flow/pause', unknown('the overview')],
  ['groups/g/resolve', unknown('the cause')],
  ['quarantine/k/discard', unknown('the quarantine')],
  ['undo', unknown('what was discarded')],
  ['runs/1/pause', unknown('the operations')],
  ['plans/1/run', unknown('the operations')],
  ['', unknown('the operations')],
  [
    'quarantine/verify-again',
    'It is unknown whether it was changed: up to 20 may be released and not counted here.',
  ],
])('after %s without an answer a person looks there: %s', (path, words) => {
  expect(unknownWords(path)).toBe(words)
})

describe('before an act', () => {
  const receiver = { undoSeconds: 60 }
  const deleted = `It is deleted. You can undo this for 1 minute. ${sent}`
  const dead = 'The event becomes dead. It does not run until somebody replays it.'
  const nothing = { replay: '', discard: deleted, retryNow: '', giveUp: dead, edit: '' }
  const other = 'A delivery with the same id and other content is in quarantine.'
  const later = (runner: string) =>
    `2 later events of the same resource are done. ${runner} runs after those, out of order.`
  const running = 'A handler runs it now. Wait until that has ended, because this changes nothing before.'
  const explained = (reason: string) => ({ explanation: { reason, sentence: '' } })

  it.each<[what: string, event: object, words: object]>([
    ['a dead event', { state: 'dead' }, {}],
    ['a done event', { state: 'done' }, { replay: 'It was done before: its handler runs a second time.' }],
    [
      'an event that somebody gave up',
      { state: 'dead', givenUp: { at: '', actor: 'Ann' }, lastError: 'paid by hand' },
      { replay: 'Ann gave it up: paid by hand.' },
    ],
    [
      'an event that somebody without a name gave up',
      { state: 'dead', givenUp: { at: '' }, lastError: 'Paid!' },
      { replay: 'An operator gave it up: Paid!' },
    ],
    [
      'an event given up without an error',
      { state: 'dead', givenUp: { at: '' } },
      { replay: 'An operator gave it up: ' },
    ],
    [
      'an event beside a quarantined delivery',
      { state: 'dead', quarantined: { code: 'event_id_conflict', key: 'k' } },
      {
        replay: `${other} This runs the stored event. Compare the two first.`,
        discard: `${deleted} ${other} This does not change that delivery.`,
        retryNow: `${other} This runs the stored event. Compare the two first.`,
        edit: `${other} Compare it with this event first.`,
      },
    ],
    [
      'an event with later done ones',
      { state: 'dead', laterDone: 2 },
      { replay: later('This event'), edit: later('The copy') },
    ],
    [
      'a dead event with a copy',
      { state: 'dead', copies: ['evt_copy'] },
      { replay: 'An edited copy of it was run. This runs the original as well.' },
    ],
    [
      'a done event with a copy',
      { state: 'done', copies: ['evt_copy'] },
      { replay: 'It was done before: its handler runs a second time.' },
    ],
    ['a dead event without a copy', { state: 'dead', copies: [] }, {}],
    [
      'an event with a rounded number',
      { state: 'dead', rounded: 'JavaScript cannot represent data.a exactly' },
      { replay: 'JavaScript cannot represent data.a exactly: the handler gets it rounded.' },
    ],
    [
      'an event that runs',
      { state: 'accepted', ...explained('running') },
      { retryNow: running, giveUp: `${dead} ${running}` },
    ],
    [
      'a stalled event',
      { state: 'accepted', ...explained('stalled') },
      { retryNow: running, giveUp: `${dead} ${running}` },
    ],
    ['an event that waits', { state: 'accepted', ...explained('paused') }, {}],
    [
      'an event with several of these',
      {
        state: 'done',
        laterDone: 2,
        rounded: 'JavaScript cannot represent data.a exactly',
        quarantined: { code: 'event_id_conflict', key: 'k' },
        ...explained('running'),
      },
      {
        replay: [
          'It was done before: its handler runs a second time.',
          `${other} This runs the stored event. Compare the two first.`,
          later('This event'),
          'JavaScript cannot represent data.a exactly: the handler gets it rounded.',
        ].join('\n'),
        discard: `${deleted} ${other} This does not change that delivery.`,
        retryNow: `${other} This runs the stored event. Compare the two first. ${running}`,
        giveUp: `${dead} ${running}`,
        edit: `${other} Compare it with this event first. ${later('The copy')}`,
      },
    ],
  ])('of %s a person knows what there is to know', (_, event, words) => {
    expect(beforeAct(event as never, receiver)).toEqual({ ...nothing, ...words })
  })
})

it.each([
  [{}, 'endpoint payments'],
  [{ type: 'transfer.settled' }, 'type transfer.settled'],
  [{ resource: 'tr_1' }, 'resource tr_1'],
])('a pause of %j is told without its person', (target, what) => {
  const pause = { endpoint: 'payments', pausedAt: '12:00', actor: 'Ann', reason: 'too fast', ...target }
  const found = { reason: 'paused', sentence: 'Ann paused it', pause } as never
  expect(unnamedSentence('evt_1', found)).toBe(`Event evt_1 waits because the ${what} was paused at 12:00.`)
  const other = { reason: 'no_worker', sentence: 'No process runs.' } as never
  expect(unnamedSentence('evt_1', other)).toBe('No process runs.')
})
