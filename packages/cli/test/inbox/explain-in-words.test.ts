import { expect, it } from 'vitest'
import { inWords } from '../../src/inbox/explain.js'

it('says what is known of lost attempts after the reason', () => {
  const sentence = 'Event evt_1 can run now.'
  expect(inWords({ sentence })).toBe(sentence)
  const lostSentence = 'Its last attempt left nothing.'
  expect(inWords({ sentence, lostSentence })).toBe(`${sentence} ${lostSentence}`)
})
