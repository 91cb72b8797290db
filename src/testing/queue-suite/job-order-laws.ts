import assert from 'node:assert/strict'
import type { WebhookEvent } from '../../event/event.js'
import { type Laws, pause } from '../laws.js'
import { aboutOf, type Bench, type Program } from './bench.js'

const audit = { reason: 'law', actor: 'suite' }

const resources = ['one', 'two', 'three']

/** Accepts `count` events of each resource, alternating resources and programs. */
async function acceptAll<Tx>(programs: readonly Program<Tx>[], count: number): Promise<string[][]> {
  const ids: string[][] = resources.map(() => [])
  for (let i = 0; i < count; i++) {
    for (const [at, about] of resources.entries()) {
      const program = programs[(i + at) % programs.length] as Program<Tx>
      ids[at]?.push(await program.accept(about))
    }
  }
  return ids
}

/** Laws of the order within one resource. */
export const orderLaws = <Tx>(): Laws<Bench<Tx>> => ({
  async 'events of one resource run one at a time, in order, across consumers'({ make }) {
    const bench = await make()
    const running: (string | undefined)[] = []
    const ended: string[] = []
    let overlaps = 0
    let most = 0
    async function handler(event: WebhookEvent): Promise<void> {
      const about = aboutOf(event)
      if (running.includes(about)) {
        overlaps++
      }
      most = Math.max(most, running.push(about))
      await pause(0.02 + 0.03 * Math.random())
      running.splice(running.indexOf(about), 1)
      ended.push(event.id)
    }
    const programs = [await bench.program(handler), await bench.program(handler)]
    const before = await acceptAll(programs, 5)
    await Promise.all(programs.map(({ receiver }) => receiver.start()))
    const after = await acceptAll(programs, 5)
    const ids = resources.map((_, at) => [...(before[at] ?? []), ...(after[at] ?? [])])
    for (const id of ids.flat()) {
      await programs[0]?.until(id, 'done')
    }
    assert.equal(overlaps, 0, 'two of one resource ran at once')
    for (const ofOne of ids) {
      assert.deepEqual(
        ended.filter((id) => ofOne.includes(id)),
        ofOne,
      )
    }
    assert.ok(most > 1, 'resources waited for each other')
  },

  async 'a failing event blocks only the later events of its resource, until it is done'({ make }) {
    const runs: string[] = []
    let isBroken = true
    const program = await (await make()).program(({ id }) => {
      runs.push(id)
      if (isBroken && id === broken) {
        throw new Error('broken')
      }
    })
    const broken = await program.accept('one')
    const later = [await program.accept('one'), await program.accept('one')]
    await program.receiver.start()
    await program.until(broken, 'failed')
    for (const about of ['two', undefined]) {
      await program.until(await program.accept(about), 'done')
    }
    for (const id of later) {
      assert.ok(!runs.includes(id), 'it did not wait')
    }
    isBroken = false
    for (const id of later) {
      await program.until(id, 'done')
    }
    const [last, ...rest] = [...new Set(runs)].filter((id) => id === broken || later.includes(id)).reverse()
    assert.deepEqual([...rest.reverse(), last], [broken, ...later])
    for (const id of later) {
      assert.equal((await program.receiver.inspect(id))?.failures, 0)
    }
  },

  async 'a dead event blocks no other, and a replayed event precedes later ones'({ make }) {
    const bench = await make()
    const ended: string[] = []
    let isMended = false
    let long = ''
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const program = await bench.program(
      async ({ id }) => {
        if (id === broken && !isMended) {
          throw new Error('broken')
        }
        if (id === long) {
          await opened
        }
        ended.push(id)
      },
      { retry: { ...bench.settings.retry, attempts: 2 } },
    )
    const broken = await program.accept('one')
    const next = await program.accept('one')
    await program.receiver.start()
    await program.until(broken, 'dead')
    await program.until(next, 'done')
    long = await program.accept('one')
    const last = await program.accept('one')
    await pause(0.5)
    isMended = true
    await program.receiver.replay(broken, audit)
    await pause(0.5)
    try {
      assert.deepEqual(ended, [next], 'the replayed one ran beside the one under way')
    } finally {
      open()
    }
    await program.until(last, 'done')
    assert.deepEqual(ended, [next, long, broken, last])
  },

  async 'a hundred waiting events block no other resource, and run when the first is done'({ make }) {
    const ended: string[] = []
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const program = await (await make()).program(async ({ id }) => {
      if (id === first) {
        await opened
      }
      ended.push(id)
    })
    const first = await program.accept('one')
    await program.receiver.start()
    const waiting = await Promise.all(Array.from({ length: 100 }, () => program.accept('one')))
    const free = [await program.accept('two'), await program.accept(), await program.accept('three')]
    try {
      for (const id of free) {
        await program.until(id, 'done', 20)
      }
      assert.deepEqual(ended.sort(), free.sort())
    } finally {
      open()
    }
    for (const id of waiting) {
      await program.until(id, 'done')
    }
    assert.equal(ended.length, 104)
  },
})
