import { type Answer, type TestSender, tamper } from 'webhook-inbox/testing'
import type { Books } from './books.js'

/** One thing that happens to a receiver in production, and what should come of it. */
export interface Step {
  readonly what: string
  deliver(): Promise<Answer[]>
  /** Status and, where there is one, code; else outcome. */
  readonly verdict: string
  /** How many answers with that verdict. Default 1. */
  readonly count?: number
  readonly why: string
  /** What should come of each event when it is run from the inbox, attempt by attempt. Default: it is not. */
  readonly runs?: readonly Run[]
  /** What else must be true afterwards. */
  holds?(): boolean
}

export interface Run {
  readonly what: string
  readonly outcome: 'processed' | 'failed'
  readonly why: string
}

const copies = 20
const burst = 40

/** In plain words, why a delivery was acknowledged. */
export const acknowledgedBecause = {
  accepted: 'signed, fresh and new: committed',
  duplicate: 'committed before: nothing to do',
  ignored: 'acknowledged: no handler for it',
} as const

export const handled: Run = {
  what: '↳ its handler',
  outcome: 'processed',
  why: 'acted on, and marked with it',
}

/** An event id short enough for a column. */
export const shortId = () => `evt_${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`

/** A day in the life of a receiver, with new events each time. */
export async function scenario(sender: TestSender, books: Books): Promise<Step[]> {
  const named = () => ({ id: shortId() })
  const settled = await sender.prepare('transfer.settled', {}, named())
  const snake = await sender.prepare('transfer.settled', {}, { ...named(), representation: 'snake_case' })
  const { transferId } = snake.event.data
  const aMinuteEarlier = new Date(Date.parse(snake.event.createdAt) - 60_000)
  const once = async (answer: Promise<Answer>) => [await answer]
  let twins: Answer[] = []

  return [
    {
      what: 'a transfer settles',
      deliver: () => once(sender.redeliver(settled)),
      verdict: '200 accepted',
      why: acknowledgedBecause.accepted,
      runs: [handled],
    },
    {
      what: 'the same event again',
      deliver: () => once(sender.redeliver(settled)),
      verdict: '200 duplicate',
      why: acknowledgedBecause.duplicate,
    },
    {
      what: 'one byte changed',
      deliver: async () =>
        once(sender.deliver(tamper.body(await sender.prepare('transfer.settled', {}, named())))),
      verdict: '401 signature_mismatch',
      why: 'not the bytes that were signed',
    },
    {
      what: 'signed 10 minutes ago',
      deliver: () => once(sender.send('transfer.settled', {}, { ...named(), ageSeconds: 600 })),
      verdict: '401 timestamp_out_of_tolerance',
      why: 'too old: 5 minutes are tolerated',
    },
    {
      what: 'no signature',
      deliver: async () => {
        const delivery = await sender.prepare('transfer.settled', {}, named())
        return once(sender.deliver(tamper.dropHeader(delivery, 'service-signature')))
      },
      verdict: '401 missing_signature',
      why: 'nobody vouches for it',
    },
    {
      what: 'settled, in snake_case',
      deliver: () => once(sender.redeliver(snake)),
      verdict: '200 accepted',
      why: 'other envelope, same event',
      runs: [handled],
    },
    {
      what: 'its approval, too late',
      deliver: () =>
        once(sender.send('approval.updated', { transferId }, { ...named(), createdAt: aMinuteEarlier })),
      verdict: '200 accepted',
      why: acknowledgedBecause.accepted,
      runs: [{ ...handled, why: 'older news: it stays settled' }],
      holds: () => books.stateOf(transferId) === 'settled',
    },
    {
      what: 'a type nobody handles',
      deliver: () =>
        once((sender as unknown as TestSender<OtherEvents>).send('evidence.exported', {}, named())),
      verdict: '200 ignored',
      why: acknowledgedBecause.ignored,
    },
    {
      what: 'a transfer fails',
      deliver: () => once(sender.send('transfer.failed', {}, named())),
      verdict: '200 accepted',
      why: acknowledgedBecause.accepted,
      runs: [
        { ...handled, outcome: 'failed', why: 'it throws: will be tried again' },
        { ...handled, what: '↳ tried again', why: 'the second attempt succeeds' },
      ],
    },
    {
      what: `${copies} copies at once`,
      async deliver() {
        const answers = await sender.concurrent(copies, 'transfer.settled', {}, named())
        twins = answers.filter(({ outcome }) => outcome !== 'accepted')
        return answers.filter(({ outcome }) => outcome === 'accepted')
      },
      verdict: '200 accepted',
      why: 'one of them is committed',
      runs: [handled],
    },
    {
      what: `the other ${copies - 1}`,
      deliver: async () => twins,
      verdict: '200 duplicate',
      count: copies - 1,
      why: acknowledgedBecause.duplicate,
    },
    {
      what: `${burst} events at once`,
      deliver: () =>
        Promise.all(Array.from({ length: burst }, () => sender.send('transfer.settled', {}, named()))),
      verdict: '200 accepted',
      count: burst,
      why: 'kill -9 me, then start me again',
      runs: [{ ...handled, what: '↳ their handlers', why: `${burst} acted on, each of them once` }],
    },
  ]
}

interface OtherEvents {
  'evidence.exported': object
}
