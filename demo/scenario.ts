import { type Answer, type TestSender, tamper } from 'webhook-inbox/testing'
import type { Transfer } from 'webhook-inbox-client'
import type { Books } from './books.js'
import type { Inbox } from './inbox.js'
import type { Entry } from './journal.js'
import type { Service } from './service.js'

/** One action of a payments platform, and the expected results. */
export interface Step {
  readonly what: string
  /** Runs the action. */
  start(): Promise<Started>
  /** The expected results, in any order. */
  readonly expects: readonly Expected[]
  /** An additional check afterwards. */
  holds?(arrived: readonly Entry[]): boolean
}

/** What a step has created. */
export interface Started {
  /** The response of the service, for example `201 pending`. Absent if the service was not called. */
  readonly answer?: string
  readonly id?: string
  /** Whether an entry belongs to this step. */
  owns(entry: Entry): boolean
}

export interface Expected {
  /** The type and the result of a delivery, or the type and the outcome of a run. */
  readonly entry: `${'delivery' | 'run'} ${string} ${string}`
  readonly why: string
  /** More than one is shown as one line. Default 1. */
  readonly count?: number
}

const burst = 20

/** Why a delivery was acknowledged, as text. */
export const acknowledgedBecause = {
  accepted: 'signed, fresh and new: committed',
  duplicate: 'committed before: nothing to do',
  ignored: 'acknowledged: no handler for it',
} as const

const accepted = (type: string): Expected => ({
  entry: `delivery ${type} 200 accepted`,
  why: acknowledgedBecause.accepted,
})
const duplicate = (type: string, count = 1): Expected => ({
  entry: `delivery ${type} 200 duplicate`,
  why: acknowledgedBecause.duplicate,
  count,
})
export const handled = 'acted on, and marked with it'
const run = (type: string, why = handled): Expected => ({ entry: `run ${type} processed`, why })
const throws = (type: string): Expected => ({
  entry: `run ${type} failed`,
  why: 'the handler throws: the inbox tries again',
})
const refused = (code: string, why: string): Expected[] => [{ entry: `delivery unverified 401 ${code}`, why }]

const settles = [
  accepted('transfer.settled'),
  accepted('ledger.matched'),
  run('transfer.settled'),
  run('ledger.matched'),
]

export interface Cast {
  readonly service: Service
  readonly inbox: Inbox
  readonly books: Books
  /** Forges deliveries. */
  readonly forger: TestSender
  /** A hint to show during the burst. */
  readonly hint: string
}

/** The steps of one round, with new transfers each time. */
export function scenario({ service, inbox, books, forger, hint }: Cast): Step[] {
  let last: Transfer | undefined
  const transferOn = (network: string) => async (): Promise<Started> => {
    last = await service.client.transfers.create({
      source: 'wallet_kes_ada',
      destination: { type: 'mobile_money', network, phone: '+254712345678' },
      amount: '10.50',
      currency: 'KES',
    })
    return startedBy(last)
  }
  const forge = (answer: () => Promise<Answer>) => async (): Promise<Started> => {
    await answer()
    return { owns: ({ type }) => type === 'unverified' }
  }
  let settledId = ''

  return [
    {
      what: 'a transfer settles',
      start: transferOn('sim_settle'),
      expects: settles,
      holds(arrived) {
        settledId = arrived.find(({ type }) => type === 'transfer.settled')?.eventId ?? ''
        return settledId !== ''
      },
    },
    {
      what: 'it is replayed 10 times',
      async start() {
        // Not awaited, so that the lines appear during the replays.
        void service.sandbox.replay(settledId, { times: 10, concurrent: true })
        return { owns: ({ eventId }) => eventId === settledId }
      },
      expects: [duplicate('transfer.settled', 10)],
    },
    {
      what: 'forged: a byte changed',
      start: forge(async () => forger.deliver(tamper.body(await forger.prepare('transfer.settled')))),
      expects: refused('signature_mismatch', 'not the bytes that were signed'),
    },
    {
      what: 'forged: 10 minutes old',
      start: forge(() => forger.send('transfer.settled', {}, { ageSeconds: 600 })),
      expects: refused('timestamp_out_of_tolerance', 'too old: the tolerance is 5 minutes'),
    },
    {
      what: 'forged: no signature',
      start: forge(async () =>
        forger.deliver(tamper.dropHeader(await forger.prepare('transfer.settled'), 'service-signature')),
      ),
      expects: refused('missing_signature', 'it is not signed'),
    },
    {
      what: 'a transfer fails',
      start: transferOn('sim_fail_recipient'),
      expects: [accepted('transfer.failed'), run('transfer.failed')],
      holds: () => books.stateOf(last?.id ?? '') === 'failed',
    },
    {
      what: 'the handler throws once',
      start: transferOn('sim_fail_network'),
      expects: [
        accepted('transfer.failed'),
        throws('transfer.failed'),
        run('transfer.failed', 'the second attempt succeeds'),
      ],
    },
    {
      what: 'delivered twice',
      start: transferOn('sim_duplicate'),
      expects: [...settles, duplicate('transfer.settled'), duplicate('ledger.matched')],
    },
    {
      what: 'delivered in reverse',
      start: transferOn('sim_reorder'),
      expects: settles,
      holds: (arrived) =>
        arrived.find(({ kind }) => kind === 'delivery')?.type === 'ledger.matched' &&
        books.stateOf(last?.id ?? '') === 'settled',
    },
    {
      what: 'the sender contradicts',
      start: transferOn('sim_contradict'),
      expects: [
        accepted('transfer.failed'),
        run('transfer.failed', 'the books say failed'),
        accepted('transfer.settled'),
        accepted('ledger.matched'),
        run('transfer.settled', 'contradicts the books: the service is asked'),
        run('ledger.matched'),
      ],
      holds: () => books.stateOf(last?.id ?? '') === 'settled',
    },
    {
      what: 'the receiver is down',
      start() {
        inbox.goDown(2)
        return transferOn('sim_settle')()
      },
      expects: [
        {
          entry: 'delivery unread 503 unavailable',
          why: 'not stored: the service sends it again',
          count: 2,
        },
        ...settles,
      ],
    },
    {
      what: 'a type without a handler',
      async start() {
        const { id } = await service.sandbox.emit('evidence.exported', {})
        return { owns: ({ eventId }) => eventId === id }
      },
      expects: [{ entry: 'delivery evidence.exported 200 ignored', why: acknowledgedBecause.ignored }],
    },
    {
      what: `${burst} transfers together`,
      async start() {
        const all = await Promise.all(Array.from({ length: burst }, () => transferOn('sim_settle')()))
        return { answer: `${burst} x 201`, owns: (entry) => all.some(({ owns }) => owns(entry)) }
      },
      expects: settles.map((expected) =>
        expected.entry === 'delivery ledger.matched 200 accepted'
          ? { ...expected, count: burst, why: hint }
          : { ...expected, count: burst },
      ),
    },
  ]
}

/** A delivery that was rejected unread has no transfer id. */
function startedBy({ id, status }: Transfer): Started {
  return {
    answer: `201 ${status}`,
    id,
    owns: ({ transferId, verdict }) => transferId === id || verdict === '503 unavailable',
  }
}
