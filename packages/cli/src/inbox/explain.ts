import type { Explanation } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { printable } from '../printable.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

export const explain = defineCommand({
  usage: 'EVENT_ID',
  about:
    'Says in one or two sentences why an event is where it is. Prints it as text, and with --json all facts. Exits with 1 where the event is not known.',
  positionals: { min: 1, max: 1 },
  options: { ...receiverOptions },
  examples: [['evt_01K4Z --receiver src/receiver.ts', 'Says why an event does not run.']],

  async run({ values, positionals, json, print, world }) {
    const [id = ''] = positionals
    const why = await withReceiver({ values, print, world }, ({ receiver }) => receiver.explain(id))
    if (json) {
      print.json({ id, ...why })
    } else {
      print.line(printable(inWords(why)))
    }
    return why.reason === 'unknown' ? exit.negative : exit.good
  },
})

export const inWords = ({
  sentence,
  lostSentence,
  editedSentence,
}: Pick<Explanation, 'sentence' | 'lostSentence' | 'editedSentence'>): string =>
  [sentence, lostSentence, editedSentence].filter((each) => each !== undefined).join(' ')
