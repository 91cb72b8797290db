import { describe, expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/index.js'
import { products } from '../../src/options/options.js'
import { shapeA, shapeB, startTestSandbox, type TestSandbox } from '../rig.js'

const typesOf = async (sandbox: TestSandbox) =>
  (await sandbox.get('/v1/events?limit=100')).body.data.map(({ type }: { type: string }) => type).reverse()

/** A transfer on this rail, after a while. */
async function transferred(options: SandboxOptions, rail = 'sim_settle') {
  const sandbox = await startTestSandbox(options)
  const { body } = await sandbox.post('/v1/transfers', shapeA(rail))
  await sandbox.advance({ hours: 1 })
  const simulate = (to: string) => sandbox.post(`/_sandbox/transfers/${body.id}/simulate`, { to })
  const status = async () => (await sandbox.get(`/v1/transfers/${body.id}`)).body.status
  return { sandbox, simulate, status }
}

describe('the option emissions', () => {
  test('leaves the other types out, and the states as they are', async () => {
    const { sandbox, status } = await transferred({ emissions: ['ledger.matched'] })
    expect(await status()).toBe('settled')
    expect(await typesOf(sandbox)).toEqual(['ledger.matched'])
  })

  test.each(['sim_reorder', 'sim_contradict', 'sim_approval', 'sim_fail_funds', 'sim_exception'])(
    'an empty list makes %s emit nothing',
    async (rail) => {
      const { sandbox, status } = await transferred({ emissions: [] }, rail)
      expect(await status()).not.toBe('pending')
      expect(await typesOf(sandbox)).toEqual([])
    },
  )

  test('does not suppress events that a person emits', async () => {
    const { sandbox } = await transferred({ emissions: [] })
    await sandbox.emit('transfer.settled')
    expect(await typesOf(sandbox)).toEqual(['transfer.settled'])
  })
})

describe('the option transitions', () => {
  test('adds a transition, with its effect on the books', async () => {
    const { sandbox, simulate, status } = await transferred(
      { transitions: { pending: ['processing', 'rejected', 'settled'] } },
      'sim_stuck',
    )
    expect((await simulate('rejected')).status).toBe(200)
    expect(await status()).toBe('rejected')
    const balance = (await sandbox.get('/v1/wallets/wallet_kes_ada/balance')).body
    expect(balance).toEqual({ available: '1000000.00', pending: '0.00' })
    expect((await simulate('processing')).status).toBe(409)
    expect(await typesOf(sandbox)).toEqual([])
  })

  test('removes a transition: a transfer whose rail needs it keeps its state', async () => {
    const { sandbox, simulate, status } = await transferred({ transitions: { processing: ['failed'] } })
    expect(await status()).toBe('processing')
    expect(await typesOf(sandbox)).toEqual([])
    expect((await simulate('settled')).body.code).toBe('impossible_transition')
    expect((await simulate('failed')).status).toBe(200)
    await sandbox.idle()
  })

  test('keeps the default list of a state that it does not name', async () => {
    const { status } = await transferred({ transitions: { pending_approval: ['rejected'] } })
    expect(await status()).toBe('settled')
  })
})

describe('each product line has rails of its own', () => {
  const ordinary = {
    mobile_money: ['mobile_money', 'bank_account'],
    digital_banking: ['mobile_money', 'bank_account', 'card_network', 'payout_network'],
    stablecoins: ['payout_network', 'digital_asset'],
  }
  const all = [...new Set(Object.values(ordinary).flat())]

  test.each(products)('%s', async (product) => {
    const sandbox = await startTestSandbox({ product })
    const { rails, networks } = (await sandbox.get('/_sandbox/seeds')).body
    const listed = rails.map(({ id }: { id: string }) => id).filter((id: string) => !id.startsWith('sim_'))
    expect(listed).toEqual(ordinary[product])
    expect(networks).toEqual(rails)
    for (const rail of all) {
      const has = ordinary[product].includes(rail)
      const answers = [
        await sandbox.post('/v1/transfers', shapeA(rail)),
        await sandbox.post('/v1/transfers', shapeB(rail)),
      ]
      const expected = has ? [201, 201] : [422, 422]
      expect([rail, ...answers.map(({ status }) => status)]).toEqual([rail, ...expected])
    }
    expect((await sandbox.post('/v1/transfers', shapeA('sim_settle'))).status).toBe(201)
  })
})
