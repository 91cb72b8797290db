import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver, type Receiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { jsonLines, openRig, type Rig, secret, steady, until } from './rig.js'

const audit = { reason: 'too many', actor: 'grace' }
const because = ['--reason', 'r', '--actor', 'ada']

let rig: Rig
let other: Receiver
/** An event has the key of this delivery as its id. */
let key: string
beforeAll(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
  other = createReceiver({
    secret,
    endpoint: 'refunds',
    store: sqliteStore(process.env.INBOX_DATABASE as string),
    queue: localQueue({ retry: { attempts: 1 }, pollSeconds: 0.1 }),
    fallback() {
      throw new Error('the bank is closed')
    },
    logger: false,
  })
  await other.start()
  const sender = testSender({ receiver: other, secret })
  await sender.send('transfer.settled', {}, { id: 'evt_other' })
  await sender.deliver(await deliveryOf('{"id":', { secret }))
  await until(async () => (await other.inspect('evt_other'))?.state === 'dead')
  key = (await rig.running.quarantined())[0]?.key as string
  const event = {
    id: key,
    type: 'transfer.failed',
    environment: 'sandbox',
    created_at: new Date().toISOString(),
    data: { transfer_id: 'k' },
  }
  await testSender({ receiver: rig.running, secret }).deliver(
    await deliveryOf(JSON.stringify(event), { secret, id: key }),
  )
  await until(async () => (await rig.running.inspect(key))?.state === 'dead')
})
afterAll(async () => {
  await other?.stop()
  await rig?.close()
})

async function shown(...args: string[]) {
  const { code, screen } = await rig.terminal(args)
  return [code, ...steady(screen)]
}

describe('--all-endpoints', () => {
  it.each<[string, (record: { id?: string; endpoint: string }) => unknown, number, number]>([
    ['list', ({ endpoint }) => endpoint, 5, 6],
    ['dead', ({ endpoint }) => endpoint, 4, 5],
    ['quarantine', ({ endpoint }) => endpoint, 1, 2],
    ['failures', ({ endpoint }) => endpoint, 3, 5],
  ])('of %s adds what other endpoints have', async (command, endpointOf, own, all) => {
    const records = async (...args: string[]) => jsonLines((await rig.inbox([command, ...args])).stdout)
    const mine = await records()
    expect(mine).toHaveLength(own)
    expect(new Set(mine.map(endpointOf))).toEqual(new Set(['payments']))
    const every = await records('--all-endpoints')
    expect(every).toHaveLength(all)
    expect(new Set(every.map(endpointOf))).toEqual(new Set(['payments', 'refunds']))
  })

  it('of failures shows whole ids, because a short one may be of either', async () => {
    const [, , ...lines] = await shown('failures', '--all-endpoints')
    const groups = lines.map((line) => /open {2}(\S+) {2}TIME/.exec(String(line))?.[1])
    expect(groups.sort()).toEqual([
      expect.stringMatching(/^payments:[0-9a-f]{24}$/),
      expect.stringMatching(/^payments:[0-9a-f]{24}$/),
      'payments:invalid_json',
      expect.stringMatching(/^refunds:[0-9a-f]{24}$/),
      'refunds:invalid_json',
    ])
    const group = groups.find((each) => each?.startsWith('refunds:') && each.length > 20) as string
    const { stdout } = await rig.inbox(['list', '--group', group, '--all-endpoints'])
    expect(jsonLines(stdout).map(({ id }) => id)).toEqual(['evt_other'])
    expect((await rig.inbox(['list', '--group', group])).stderr).toContain(`no group ${group} is kept`)
  })

  it('of audits adds what was done at other endpoints', async () => {
    await other.pause({}, audit)
    await other.resume({}, audit)
    const count = async (...args: string[]) => jsonLines((await rig.inbox(['audits', ...args])).stdout).length
    expect((await count('--all-endpoints')) - (await count())).toBe(2)
  })
})

describe('an id that is an event and a delivery', () => {
  const unclear = 'it is both an event and a quarantined delivery; say which with --kind'

  it('is not shown until --kind says which is meant', async () => {
    expect(await shown('show', key)).toEqual([
      2,
      `webhook-inbox: ${unclear}`,
      'See webhook-inbox inbox show --help.',
    ])
    const kind = async (name: string) =>
      JSON.parse((await rig.inbox(['show', key, '--json', '--kind', name])).stdout)
    expect(await kind('event')).toMatchObject({ id: key, type: 'transfer.failed' })
    expect(await kind('delivery')).toMatchObject({ key, code: 'invalid_json' })
  })

  it('is not discarded until --kind says which is meant', async () => {
    expect(await shown('discard', key, '--yes', ...because)).toEqual([
      2,
      `payments/KEY  rejected: ${unclear}`,
      'webhook-inbox: nothing was done: 1 of 1 cannot be discarded',
      'See webhook-inbox inbox discard --help.',
    ])
    expect(await shown('discard', key, '--kind', 'delivery', '--dry-run', ...because)).toEqual([
      0,
      'payments/KEY  quarantined delivery, invalid_json',
    ])
  })

  it('is not restored until --kind says which is meant', async () => {
    await rig.running.discard(key, audit, { kind: 'delivery' })
    expect(await shown('undo', key, '--dry-run', ...because)).toEqual([
      0,
      'quarantined delivery payments/KEY  can be restored until TIME',
    ])
    expect(await shown('undo', key, '--kind', 'event', '--dry-run', ...because)).toEqual([
      1,
      'nothing that was discarded under payments/KEY can be restored',
    ])
    await rig.running.discard(key, audit, { kind: 'event' })
    const both = [
      'quarantined delivery payments/KEY  can be restored until TIME',
      'event payments/KEY  can be restored until TIME',
    ]
    expect(await shown('undo', key, '--dry-run', ...because)).toEqual([0, ...both])
    expect(await shown('undo', key, '--yes', ...because)).toEqual([
      2,
      ...both,
      `webhook-inbox: ${unclear}`,
      'See webhook-inbox inbox undo --help.',
    ])
    await rig.running.undo(key, audit, { kind: 'delivery' })
    expect(await shown('undo', key, '--yes', ...because)).toEqual([
      0,
      both[1],
      '1 event or delivery restored',
    ])
  })
})

describe('inbox health', () => {
  it('says how long an event has waited, and what is paused', async () => {
    await rig.running.pause({ resource: 'tr_1' }, audit)
    await testSender({ receiver: rig.running, secret }).send(
      'transfer.settled',
      { transferId: 'tr_1' },
      { id: 'evt_held' },
    )
    await new Promise((resolve) => setTimeout(resolve, 600))
    const [code, ...lines] = await shown('health', '--max-age', '0.5s')
    expect(code).toBe(1)
    expect(lines).toContain('paused: resource tr_1 of payments, by grace since TIME: too many')
    expect(lines).toContainEqual(expect.stringMatching(/^an event waits for \d s, more than 0\.5 s$/))
    expect(lines).toContainEqual(expect.stringMatching(/^oldest unprocessed event: \d s$/))
    const { stdout, stderr } = await rig.inbox(['health', '--max-age', '0.5s', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      counts: { accepted: 1 },
      paused: [{ resource: 'tr_1' }],
      problems: [expect.stringMatching(/^an event waits for/)],
    })
    expect(stderr).toMatch(/^an event waits for .* s\n$/)
    expect((await shown('health', '--max-age', '1h'))[0]).toBe(0)
    await rig.running.resume({ resource: 'tr_1' }, audit)
  })

  it.each([
    ['--max-age', '--max-age must be a duration such as 90s, 15m, 2h or 7d'],
    ['--max-dead', '--max-dead must be a whole number of at least 0'],
    ['--max-quarantined', '--max-quarantined must be a whole number of at least 0'],
  ])('rejects a wrong %s', async (option, message) => {
    expect((await shown('health', option, 'x'))[1]).toBe(`webhook-inbox: ${message}`)
  })
})

describe('the limits of lists', () => {
  it.each(['list', 'dead', 'failures', 'quarantine', 'plans', 'runs', 'audits', 'verify-again'])(
    'of %s are whole numbers of at least one',
    async (command) => {
      for (const limit of ['0', 'x']) {
        expect(
          await shown(command, '--limit', limit, ...(command === 'verify-again' ? because : [])),
        ).toEqual([
          2,
          'webhook-inbox: --limit must be a whole number of at least 1',
          `See webhook-inbox inbox ${command} --help.`,
        ])
      }
    },
  )

  it('hold', async () => {
    const count = async (...args: string[]) => jsonLines((await rig.inbox(args)).stdout).length
    await rig.running.plan({ action: 'discard' })
    await rig.running.plan({ action: 'discard' })
    for (const command of ['list', 'dead', 'failures', 'plans', 'audits']) {
      expect([command, await count(command, '--limit', '1')]).toEqual([command, 1])
    }
    expect(await count('quarantine', '--limit', '1', '--all-endpoints')).toBe(1)
  })
})
