import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs as fuzzRuns } from '../../../../test/fuzz-runs.js'
import { outsideAccount, post } from '../../src/bank/journal.js'
import { toDecimal } from '../../src/bank/money.js'
import { openService } from '../../src/open-service.js'
import { resolveOptions } from '../../src/options/resolve.js'
import type { Service } from '../../src/service.js'
import { serviceApp } from '../../src/service-app.js'

const wallets = ['wallet_kes_ada', 'wallet_kes_ben', 'wallet_usd_ada']
const rails = [
  'sim_settle',
  'sim_fail_funds',
  'sim_late',
  'sim_stuck',
  'sim_contradict',
  'sim_approval',
  'sim_exception',
]

/** What a person, a program or a crash does to a sandbox. */
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('transfer' as const),
      source: fc.constantFrom(...wallets),
      destination: fc.constantFrom(...wallets, 'outside'),
      minor: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 30_000_000, max: 100_000_000 })),
      rail: fc.constantFrom(...rails),
      // Few keys, so that many requests are retries, some of them with another body.
      key: fc.constantFrom('a', 'b', 'c', undefined),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      seconds: fc.constantFrom(0.05, 0.1, 2, 700),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('simulate' as const),
      index: fc.nat(20),
      to: fc.constantFrom('pending_approval', 'processing', 'settled', 'failed', 'rejected'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      index: fc.nat(5),
      decision: fc.constantFrom('approved', 'rejected'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never

test('whatever happens, all accounts add up to zero, no wallet is below zero and a transfer settles once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
      const folder = await mkdtemp(join(tmpdir(), 'sandbox-money-'))
      const bank = new Bank(join(folder, 'state.sqlite'))
      try {
        for (const one of operations) {
          await bank.run(one)
          checkBooks(bank.service)
        }
      } finally {
        await bank.end()
        rmSync(folder, { recursive: true })
      }
    }),
    { numRuns: fuzzRuns(240) },
  )
}, 180_000)

/** A sandbox on a file that can crash: what was not committed is gone, and the next one opens the file. */
class Bank {
  service: Service
  #app: ReturnType<typeof serviceApp>
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    this.service = this.#open()
    this.#app = this.#appOf(this.service)
  }

  async run(one: Operation): Promise<void> {
    switch (one.do) {
      case 'transfer': {
        const { source, destination, minor, rail, key } = one
        const currency = source.slice(7, 10).toUpperCase()
        const outside = { type: 'mobile_money', network: rail, phone: '+254712345678' }
        const body =
          destination === 'outside'
            ? { source, destination: outside, amount: toDecimal(minor), currency }
            : { source, destination, amount: Number(toDecimal(minor)), currency, rail }
        return this.#send('/v1/transfers', body, key)
      }
      case 'advance':
        return this.service.clock.advance(one.seconds)
      case 'simulate': {
        const id = this.#idOf('transfers', one.index)
        if (id) {
          await this.#send(`/_sandbox/transfers/${id}/simulate`, { to: one.to })
        }
        return
      }
      case 'decide': {
        const id = this.#idOf('approvals', one.index)
        if (id) {
          await this.#send(`/_sandbox/approvals/${id}/decide`, { decision: one.decision })
        }
        return
      }
      case 'crash':
        await this.end()
        this.service = this.#open()
        this.#app = this.#appOf(this.service)
    }
  }

  async end(): Promise<void> {
    this.service.progress.close()
    await this.service.courier.close()
    this.service.database.close()
  }

  #open(): Service {
    const options = resolveOptions({ clock: 'virtual', state: this.#file })
    const fail = (error: unknown) => {
      throw error
    }
    return openService(options, { onAttempt() {}, onFailure: fail })
  }

  #appOf(service: Service) {
    return serviceApp(service, { addressOf: () => ({ host: '127.0.0.1', port: 1 }) })
  }

  async #send(path: string, body: unknown, key?: string): Promise<void> {
    const response = await this.#app.fetch(
      new Request(`http://127.0.0.1:1${path}`, {
        method: 'POST',
        headers: {
          Authorization: 'Bearer sk_sandbox_local',
          'Content-Type': 'application/json',
          ...(key && { 'Idempotency-Key': key }),
        },
        body: JSON.stringify(body),
      }),
      {},
    )
    expect(response.status).toBeLessThan(500)
  }

  #idOf(table: 'transfers' | 'approvals', index: number): string | undefined {
    const rows = this.service.database.prepare(`SELECT id FROM ${table} ORDER BY seq`).all() as {
      id: string
    }[]
    return rows[index % Math.max(1, rows.length)]?.id
  }
}

test('the database lets no wallet fall below zero, whatever writes to the journal', async () => {
  const service = openService(resolveOptions({ clock: 'virtual' }), { onAttempt() {}, onFailure() {} })
  const outside = outsideAccount(service.database, 'sim_settle', 'KES')
  const take = (minor: number) =>
    post(service, { transferId: null, from: 'wallet_kes_ada', to: outside, minor, currency: 'KES' })
  take(99_999_999)
  expect(() => take(2)).toThrow(/constraint/i)
  take(1)
  service.progress.close()
  await service.courier.close()
  service.database.close()
})

function checkBooks({ database }: Service): void {
  const rows = <Row>(sql: string) => database.prepare(sql).all() as Row[]
  const numbers = (sql: string) => rows<{ value: number }>(sql).map(({ value }) => value)

  expect(numbers('SELECT SUM(minor) AS value FROM journal')).toEqual([0])
  expect(numbers('SELECT SUM(posted) AS value FROM accounts')).toEqual([0])
  expect(
    numbers(
      'SELECT SUM(minor) AS value FROM journal GROUP BY transfer_id HAVING value <> 0 AND transfer_id IS NOT NULL',
    ),
  ).toEqual([])

  // Balances follow from the journal.
  const derived = rows<{ id: string; posted: number; total: number; is_wallet: number; reserved: number }>(
    `SELECT id, posted, is_wallet,
       (SELECT COALESCE(SUM(minor), 0) FROM journal WHERE account = accounts.id) AS total,
       (SELECT COALESCE(SUM(minor), 0) FROM transfers WHERE source = accounts.id
          AND status NOT IN ('settled', 'failed', 'rejected')) AS reserved
     FROM accounts`,
  )
  for (const { posted, total, is_wallet, reserved } of derived) {
    expect(posted).toBe(total)
    expect(Number.isSafeInteger(posted)).toBe(true)
    if (is_wallet) {
      expect(posted - reserved).toBeGreaterThanOrEqual(0)
    }
  }

  // A transfer has two lines where it has settled, and none where it has not.
  const wrong = rows(
    `SELECT t.id, t.status, (SELECT COUNT(*) FROM journal WHERE transfer_id = t.id) AS lines FROM transfers t
     WHERE lines <> CASE t.status WHEN 'settled' THEN 2 ELSE 0 END`,
  )
  expect(wrong).toEqual([])
  const told = rows(
    `SELECT data, COUNT(*) AS times FROM events WHERE type = 'transfer.settled' GROUP BY data HAVING times > 1`,
  )
  expect(told).toEqual([])
  // One key made one transfer at most: the same scope has one row by its primary key.
  expect(
    numbers(
      "SELECT COUNT(*) AS value FROM idempotency WHERE status = 201 GROUP BY json_extract(body, '$.id') HAVING value > 1",
    ),
  ).toEqual([])
}
