import { afterAll, afterEach, expect, it } from 'vitest'
import { sweep } from '../../src/queue/sweep.js'
import type { Inbox } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { pause } from '../../src/testing/laws.js'
import { Alarm } from '../../src/timing/alarm.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

const patiently = { timeout: 15_000, interval: 10 }
const ending: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) {
    await end()
  }
})
afterAll(removeFiles)

function sweeping({
  everySeconds = 0.05,
  endpoint = 'default',
  due,
  limited = [],
  run = async () => {},
}: {
  everySeconds?: number
  endpoint?: string
  due?: () => void
  limited?: readonly string[]
  /** Called for each job that was added. */
  run?: (inbox: Inbox<unknown>, key: string) => Promise<unknown>
} = {}) {
  const real = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const shutdown = new Shutdown()
  const resumed = new Alarm()
  const relisted: {
    readonly key: string
    readonly name: string
    readonly search: number
    readonly isOldest: boolean
  }[] = []
  const errors: unknown[] = []
  let searches = 0
  let bytes = 0
  const inbox = {
    ...real,
    async due(...query: Parameters<typeof real.due>) {
      searches++
      due?.()
      const found = await real.due(...query)
      bytes += found.reduce((sum, { body }) => sum + body.byteLength, 0)
      return found
    },
  }
  const ended = sweep({
    inbox,
    endpoint,
    everySeconds,
    shutdown,
    resumed,
    limited: () => limited,
    async relist({ key }, name, isOldest) {
      relisted.push({ key, name, search: searches, isOldest })
      await run(real, key)
    },
    onError: (error) => errors.push(error),
  })
  const end = async () => {
    shutdown.begin()
    await ended
  }
  ending.push(end)
  return {
    inbox: real,
    relisted,
    errors,
    end,
    searches: () => searches,
    /** How many bytes of bodies the searches have returned. */
    bytes: () => bytes,
    resume: () => resumed.ring(),
  }
}

it('adds a job for an event that is due in two consecutive searches, with a stable name', async () => {
  const { inbox, relisted, searches } = sweeping()
  await expect.poll(searches, patiently).toBeGreaterThan(1)
  const event = newEvent()
  await inbox.accept(event, nothing as never)
  const accepted = searches()
  await expect.poll(() => relisted.length, patiently).toBeGreaterThan(1)
  expect(relisted[0]?.search).toBeGreaterThan(accepted + 1)
  expect(new Set(relisted.map(({ name }) => name)).size).toBe(1)
  expect(relisted.every(({ key }) => key === event.key)).toBe(true)
})

it('reads no bodies, also after a resume', async () => {
  const { inbox, relisted, bytes, resume } = sweeping()
  const event = newEvent({ body: new Uint8Array(1000) })
  await inbox.accept(event, nothing as never)
  resume()
  await expect.poll(() => relisted.length, patiently).toBeGreaterThan(1)
  expect(bytes()).toBe(0)
})

it('uses a new job name after a failed attempt and after a replay', async () => {
  const { inbox, relisted } = sweeping()
  const event = newEvent()
  const names = () => new Set(relisted.map(({ name }) => name)).size
  await inbox.accept(event, nothing as never)
  await expect.poll(names, patiently).toBe(1)
  await inbox.postpone(event.key, 0, 'once')
  await expect.poll(names, patiently).toBe(2)
  await inbox.markDead(event.key, 'the end')
  await inbox.requeue(event.key, { reason: 'a', actor: 'b' }, nothing as never)
  await expect.poll(names, patiently).toBe(3)
})

it('does not change events of other endpoints', async () => {
  const { inbox, relisted, searches } = sweeping({ endpoint: 'mine' })
  await inbox.accept(newEvent({ endpoint: 'other' }), nothing as never)
  const before = searches()
  await expect.poll(searches, patiently).toBeGreaterThan(before + 3)
  expect(relisted).toEqual([])
})

it('reports a failed search, and continues', async () => {
  let faults = 2
  const { inbox, relisted, errors } = sweeping({
    due() {
      if (faults-- > 0) {
        throw new Error('down')
      }
    },
  })
  await inbox.accept(newEvent(), nothing as never)
  await expect.poll(() => relisted.length, patiently).toBeGreaterThan(0)
  expect(errors.map(String)).toEqual(['Error: down', 'Error: down'])
})

it('stops immediately during its pause, and searches no more', async () => {
  const slow = sweeping({ everySeconds: 3600 })
  await expect.poll(slow.searches, patiently).toBe(1)
  // The sweep is in its pause now, and only a wake ends it in time.
  await pause(0.1)
  await slow.end()
  const quick = sweeping({ everySeconds: 0.01 })
  await expect.poll(quick.searches, patiently).toBeGreaterThan(2)
  await quick.end()
  const searches = quick.searches()
  await pause(0.3)
  expect(quick.searches()).toBe(searches)
})

it('adds a job for everything that is due after a resume, once each, in one search where that is enough', async () => {
  const { inbox, relisted, searches, resume } = sweeping({ everySeconds: 3600 })
  await expect.poll(searches, patiently).toBe(1)
  const events = Array.from({ length: 3 }, () => newEvent())
  for (const event of events) {
    await inbox.accept(event, nothing as never)
  }
  resume()
  await expect.poll(() => relisted.length, patiently).toBe(3)
  expect(relisted.map(({ key }) => key).sort()).toEqual(events.map(({ key }) => key).sort())
  // The search of the catch-up, and the one that begins the next pause.
  await expect.poll(searches, patiently).toBe(3)
  await pause(0.3)
  expect([relisted.length, searches()]).toEqual([3, 3])
})

it('continues after a resume until nothing is left, however much waits', async () => {
  const { inbox, relisted, searches, resume } = sweeping({
    everySeconds: 3600,
    run: (real, key) => real.markDead(key, 'run'),
  })
  await expect.poll(searches, patiently).toBe(1)
  for (let i = 0; i < 260; i++) {
    await inbox.accept(newEvent(), nothing as never)
  }
  resume()
  await expect.poll(() => relisted.length, patiently).toBe(260)
  expect(new Set(relisted.map(({ key }) => key)).size).toBe(260)
})

it('adds each job once after a resume, and searches seldom, while none of them runs', async () => {
  const { inbox, relisted, searches, resume } = sweeping({ everySeconds: 3600 })
  await expect.poll(searches, patiently).toBe(1)
  const events = Array.from({ length: 260 }, () => newEvent())
  for (const event of events) {
    await inbox.accept(event, nothing as never)
  }
  resume()
  await expect.poll(() => relisted.length, patiently).toBe(250)
  await pause(0.5)
  expect(relisted).toHaveLength(250)
  expect(searches()).toBeLessThan(10)
  for (const { key } of [...relisted]) {
    await inbox.markDead(key, 'run')
  }
  await expect.poll(() => relisted.length, patiently).toBe(260)
  expect(new Set(relisted.map(({ key }) => key)).size).toBe(260)
})

it.each(['a search', 'a resume'])(
  'finds an event behind many of another type that wait for a slot, by %s',
  async (by) => {
    const { inbox, relisted, searches, resume } = sweeping({ everySeconds: by === 'a resume' ? 3600 : 0.05 })
    for (let i = 0; i < 250; i++) {
      await inbox.accept(newEvent({ type: 'limited' }), nothing as never)
    }
    const lost = newEvent({ type: 'free' })
    await inbox.accept(lost, nothing as never)
    await expect.poll(searches, patiently).toBeGreaterThan(0)
    if (by === 'a resume') {
      resume()
    }
    await expect.poll(() => relisted.some(({ key }) => key === lost.key), patiently).toBe(true)
    // The other 250 are older. There may be more of them, so the job of this event must not run before them.
    expect(relisted.every(({ key, isOldest }) => isOldest === (key !== lost.key))).toBe(true)
  },
)

it('adds no more jobs once it stops', async () => {
  const stopping: (() => Promise<void>)[] = []
  const { inbox, relisted, searches, resume, end } = sweeping({
    everySeconds: 3600,
    async run() {
      void stopping[0]?.()
    },
  })
  stopping.push(end)
  await expect.poll(searches, patiently).toBe(1)
  for (let i = 0; i < 3; i++) {
    await inbox.accept(newEvent(), nothing as never)
  }
  resume()
  await expect.poll(() => relisted.length, patiently).toBe(1)
  await end()
  expect(relisted).toHaveLength(1)
})

it('names a job by its event, its attempt, its failures, its replay and its arrival', async () => {
  const { inbox, relisted } = sweeping()
  const event = newEvent()
  await inbox.accept(event, nothing as never)
  await expect.poll(() => relisted.length, patiently).toBeGreaterThan(0)
  const { receivedAt } = (await inbox.read(event.key)) ?? {}
  expect(relisted[0]?.name).toBe(`0 0 0 ${receivedAt} ${event.key}`)
})

it.each(['a search', 'a resume'])(
  'finds an event behind many of its type whose resources are at their limit, by %s',
  async (by) => {
    const limited = Array.from({ length: 250 }, (_, i) => `account ${i}`)
    const isResumed = by === 'a resume'
    const { inbox, relisted, searches, resume } = sweeping({
      everySeconds: isResumed ? 3600 : 0.05,
      limited,
    })
    for (const resource of limited) {
      await inbox.accept(newEvent({ resource }), nothing as never)
    }
    const lost = newEvent({ resource: 'free' })
    await inbox.accept(lost, nothing as never)
    await expect.poll(searches, patiently).toBeGreaterThan(0)
    if (isResumed) {
      resume()
    }
    await expect.poll(() => relisted.some(({ key }) => key === lost.key), patiently).toBe(true)
    expect(relisted.every(({ key, isOldest }) => isOldest && key === lost.key)).toBe(true)
  },
)
