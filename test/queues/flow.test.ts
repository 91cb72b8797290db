import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { bundle, type Program } from '../setup/bundle.js'
import { audit, endpointOf, engines, flowRig, patiently } from './flow-rig.js'

const { places, newFile, program, closing } = flowRig()

let worker: Program
beforeAll(async () => {
  worker = await bundle(join(import.meta.dirname, 'flow-worker.ts'))
})
afterAll(() => worker?.remove())

describe.each(engines)('with %s', (engine) => {
  test('a paused type waits without an attempt, in every process, and runs immediately when it is resumed', async () => {
    const place = places[engine]()
    const endpoint = endpointOf('pause')
    const here = await program(place, endpoint)
    expect(await here.receiver.pause({ type: 'transfer.settled' }, audit)).toBe(true)
    const later = await program(place, endpoint)
    const held = [await here.send('transfer.settled'), await later.send('transfer.settled')]
    const free = await here.send('transfer.failed')
    await expect.poll(async () => (await here.receiver.inspect(free))?.state, patiently).toBe('done')
    // Long enough for several searches and sweeps of both.
    await sleep(3500)
    expect([...here.ran, ...later.ran]).toEqual(['transfer.failed'])
    for (const id of held) {
      expect(await here.receiver.inspect(id)).toMatchObject({ state: 'accepted', attempt: 0, failures: 0 })
    }
    expect(await later.receiver.paused()).toMatchObject([{ endpoint, type: 'transfer.settled', ...audit }])

    const resumedAt = performance.now()
    expect(await here.receiver.resume({ type: 'transfer.settled' }, audit)).toBe(true)
    for (const id of held) {
      await expect.poll(async () => (await here.receiver.inspect(id))?.state, patiently).toBe('done')
    }
    expect(performance.now() - resumedAt).toBeLessThan(5000)
    expect(await here.receiver.resume({ type: 'transfer.settled' }, audit)).toBe(false)
  })

  test('an endpoint and a resource are paused too, and a run that has begun continues', async () => {
    const place = places[engine]()
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    const { receiver, send } = await program(place, endpointOf('endpoint'), {
      resource: ({ id }: WebhookEvent) => id,
      fallback: () => held,
    })
    const running = await send('transfer.settled')
    await expect.poll(async () => (await receiver.explain(running)).reason, patiently).toBe('running')
    await receiver.pause({}, audit)
    const waiting = await send('transfer.settled')
    end()
    await expect.poll(async () => (await receiver.inspect(running))?.state, patiently).toBe('done')
    await sleep(1500)
    expect((await receiver.inspect(waiting))?.state).toBe('accepted')
    await receiver.pause({ resource: waiting }, audit)
    await receiver.resume({}, audit)
    const next = await send('transfer.settled')
    await expect.poll(async () => (await receiver.inspect(next))?.state, patiently).toBe('done')
    expect((await receiver.inspect(waiting))?.state).toBe('accepted')
    await receiver.resume({ resource: waiting }, audit)
    await expect.poll(async () => (await receiver.inspect(waiting))?.state, patiently).toBe('done')
  })

  test('a pause outlives kill -9, and holds in a process that starts later', async () => {
    const place = places[engine]()
    const journal = newFile('journal')
    writeFileSync(journal, '')
    const { receiver, send } = await program(place, 'default', {}, false)
    const children: ChildProcess[] = []
    async function start(): Promise<ChildProcess> {
      const child = fork(worker.path, [JSON.stringify(place), journal])
      children.push(child)
      const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
      expect(message).toBe('running')
      return child
    }
    closing.push(async () => {
      for (const child of children) {
        child.kill('SIGKILL')
      }
    })
    const ran = () => readFileSync(journal, 'utf8').trim().split('\n').filter(Boolean)

    const first = await start()
    await receiver.pause({ type: 'transfer.settled' }, audit)
    // Other processes obey within a second.
    await sleep(1100)
    await send('transfer.settled')
    const failed = await send('transfer.failed')
    // Not only run: a process that is killed before its commit leaves an event that runs again.
    await expect.poll(async () => (await receiver.inspect(failed))?.state, patiently).toBe('done')
    expect(ran()).toEqual(['transfer.failed'])
    const gone = once(first, 'exit')
    first.kill('SIGKILL')
    await gone
    await start()
    await send('transfer.settled')
    await send('transfer.matched')
    await expect.poll(ran, patiently).toEqual(['transfer.failed', 'transfer.matched'])
    await sleep(2500)
    expect(ran()).toHaveLength(2)
    await receiver.resume({ type: 'transfer.settled' }, audit)
    await expect.poll(() => ran().length, patiently).toBe(4)
  })

  test('a circuit opens, tries once, and closes when a trial succeeds', async () => {
    const place = places[engine]()
    let isBroken = true
    let tries = 0
    const { receiver, send } = await program(place, endpointOf('circuit'), {
      breaker: { failures: 3, retryAfterSeconds: 3 },
      fallback: ({ type, id }: WebhookEvent) => {
        if (type === 'transfer.settled') {
          tries++
          if (isBroken) {
            throw new Error(`ledger refused ${id}`)
          }
        }
      },
    })
    const first = await send('transfer.settled')
    const reason = async (id: string) => (await receiver.explain(id)).reason
    await expect.poll(() => reason(first), patiently).toBe('circuit_open')
    const before = tries
    const waiting = await send('transfer.settled')
    const free = await send('transfer.failed')
    await expect.poll(async () => (await receiver.inspect(free))?.state, patiently).toBe('done')
    expect(await reason(waiting)).toBe('circuit_open')
    expect((await receiver.inspect(waiting))?.attempt).toBe(0)
    await expect.poll(() => tries, patiently).toBeGreaterThan(before)
    isBroken = false
    for (const id of [first, waiting]) {
      await expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe('done')
    }
  })

  test('a limit of a type and of a resource holds, costs no attempt, and loses nothing', async () => {
    const place = places[engine]()
    let running = 0
    let most = 0
    let meet = () => {}
    // On a busy machine an engine may begin the second event long after the first.
    const met = new Promise<void>((resolve) => {
      meet = resolve
    })
    const starts: number[] = []
    const { receiver, send } = await program(place, endpointOf('limit'), {
      limits: { byType: { 'transfer.settled': { concurrency: 2 }, 'transfer.failed': { perSecond: 2 } } },
      fallback: async ({ type }: WebhookEvent) => {
        if (type === 'transfer.failed') {
          starts.push(performance.now())
          return
        }
        most = Math.max(most, ++running)
        if (running === 2) {
          meet()
        }
        await Promise.race([met, sleep(5000, undefined, { ref: false })])
        await sleep(60)
        running--
      },
    })
    const ids: string[] = []
    for (let i = 0; i < 8; i++) {
      ids.push(await send('transfer.settled'), await send('transfer.failed'))
    }
    for (const id of ids) {
      await expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe('done')
      expect(await receiver.inspect(id)).toMatchObject({ failures: 0 })
    }
    expect(most).toBe(2)
    // Two may start together, and each of the other six earns its start in half a second.
    expect((starts.at(-1) as number) - (starts[0] as number)).toBeGreaterThan(2700)
  })

  test('a rate of each resource holds back that resource alone', async () => {
    const place = places[engine]()
    const starts = new Map<string, number[]>()
    const { receiver, send } = await program(place, endpointOf('resource'), {
      limits: { perResource: { perSecond: 2 } },
      resource: ({ type }: WebhookEvent) => type,
      fallback: ({ type }: WebhookEvent) => {
        starts.set(type, [...(starts.get(type) ?? []), performance.now()])
      },
    })
    const ids: string[] = []
    for (let i = 0; i < 6; i++) {
      ids.push(await send('transfer.settled'))
    }
    ids.push(await send('transfer.failed'))
    for (const id of ids) {
      await expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe('done')
      expect(await receiver.inspect(id)).toMatchObject({ failures: 0 })
    }
    const settled = starts.get('transfer.settled') as number[]
    const [failed = 0] = starts.get('transfer.failed') ?? []
    // Two may start together, and each of the other four earns its start in half a second.
    expect((settled.at(-1) as number) - (settled[0] as number)).toBeGreaterThan(1700)
    expect(failed).toBeLessThan(settled.at(-1) as number)
  })

  test('a type of a higher priority runs first', async () => {
    const place = places[engine]()
    const endpoint = endpointOf('priority')
    const priorities = { 'transfer.failed': 10, 'transfer.matched': -10 }
    const { receiver, send } = await program(place, endpoint, { priorities }, false)
    const order = ['transfer.matched', 'transfer.settled', 'transfer.failed']
    for (let i = 0; i < 30; i++) {
      await send(order[i % 3] as string)
    }
    await receiver.stop()
    const { ran } = await program(place, endpoint, {
      priorities,
      limits: { perResource: { concurrency: 1 } },
    })
    await expect.poll(() => ran.length, patiently).toBe(30)
    const middle = (type: string) =>
      ran.flatMap((each, i) => (each === type ? [i] : [])).reduce((sum, i) => sum + i, 0) / 10
    expect(middle('transfer.failed')).toBeLessThan(middle('transfer.settled'))
    expect(middle('transfer.settled')).toBeLessThan(middle('transfer.matched'))
  })
})
