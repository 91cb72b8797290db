import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Gauge } from '../../src/flow/gauge.js'
import { Limiter } from '../../src/flow/limiter.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000)

/** Takes a place. Returns how to leave it. */
function enter(limiter: Limiter, type: string, resource?: string): () => void {
  const place = limiter.enter(type, resource)
  expect(place).toHaveProperty('leave')
  return (place as { leave: () => void }).leave
}

/** Finds no place. Returns how long to wait. */
function wait(limiter: Limiter, type: string, resource?: string): number {
  const place = limiter.enter(type, resource)
  expect(place).toHaveProperty('retryAfterSeconds')
  return (place as { retryAfterSeconds: number }).retryAfterSeconds
}

const free = { types: [], resources: [], wakeAfterSeconds: 0 }

test('a type without a limit always finds a place', () => {
  const limiter = new Limiter({ byType: { other: { concurrency: 1 } } })
  for (let i = 0; i < 5000; i++) {
    enter(limiter, 'a', 'r')
  }
  expect(limiter.limited()).toEqual(free)
})

test('at most `concurrency` events of a type have a place, and each end frees one', () => {
  const limiter = new Limiter({ byType: { a: { concurrency: 2 } } })
  const leave = enter(limiter, 'a')
  expect(limiter.limited()).toEqual(free)
  enter(limiter, 'a')
  wait(limiter, 'a')
  enter(limiter, 'b')
  // Only an end can free a place, so there is no time to look again.
  expect(limiter.limited()).toEqual({ types: ['a'], resources: [], wakeAfterSeconds: 0 })
  leave()
  expect(limiter.limited()).toEqual(free)
  enter(limiter, 'a')
  wait(limiter, 'a')
})

test('each resource has its own places', () => {
  const limiter = new Limiter({ perResource: { concurrency: 1 } })
  const leave = enter(limiter, 'a', 'r')
  wait(limiter, 'b', 'r')
  enter(limiter, 'a', 's')
  enter(limiter, 'a')
  enter(limiter, 'a')
  expect(limiter.limited()).toEqual({ types: [], resources: ['r'], wakeAfterSeconds: 0 })
  wait(limiter, 'a', 's')
  expect(limiter.limited()).toEqual({ types: [], resources: ['r', 's'], wakeAfterSeconds: 0 })
  leave()
  expect(limiter.limited().resources).toEqual(['s'])
  enter(limiter, 'b', 'r')
  expect(limiter.limited().resources, 'no event of r waits').toEqual(['s'])
})

test('resources that a sender invents are not named, and cost each event the same', () => {
  const limiter = new Limiter({ perResource: { perSecond: 0.01 } })
  const looks = vi.spyOn(Gauge.prototype, 'isIdle')
  for (let i = 0; i < 20_000; i++) {
    enter(limiter, 'a', `r${i}`)
  }
  expect(looks.mock.calls.length).toBeLessThan(40_000)
  expect(limiter.limited()).toEqual(free)
  wait(limiter, 'a', 'r7')
  expect(limiter.limited()).toEqual({ types: [], resources: ['r7'], wakeAfterSeconds: 100 })
})

test('ten thousand resources are named, however many have events that wait', () => {
  const limiter = new Limiter({ perResource: { perSecond: 0.01 } })
  const most = 10_000
  for (let i = 0; i < most + 500; i++) {
    enter(limiter, 'a', `r${i}`)
    expect(limiter.enter('a', `r${i}`)).toMatchObject({ isNamed: i < most })
  }
  expect(limiter.limited().resources).toHaveLength(most)
  expect(limiter.enter('a', 'r0')).toMatchObject({ isNamed: true })
  pass(100)
  enter(limiter, 'a', 'r10400')
  expect(limiter.enter('a', 'r10400'), 'those that are free now give way').toMatchObject({ isNamed: true })
  expect(limiter.limited().resources).toEqual(['r10400'])
})

test('an event without a place for its resource takes none of its type', () => {
  const limiter = new Limiter({ byType: { a: { concurrency: 2 } }, perResource: { concurrency: 1 } })
  enter(limiter, 'a', 'r')
  wait(limiter, 'a', 'r')
  enter(limiter, 'a', 's')
})

test('a second’s worth of events starts together, and each later one earns its start', () => {
  const limiter = new Limiter({ byType: { a: { perSecond: 4 } } })
  for (let i = 0; i < 4; i++) {
    enter(limiter, 'a')
  }
  expect(limiter.limited()).toEqual({ types: ['a'], resources: [], wakeAfterSeconds: 0.25 })
  pass(0.125)
  expect(limiter.limited().wakeAfterSeconds).toBe(0.125)
  pass(0.125)
  expect(limiter.limited()).toEqual(free)
  enter(limiter, 'a')
  wait(limiter, 'a')
  // A pause of any length earns a second’s worth at most.
  pass(60)
  for (let i = 0; i < 4; i++) {
    enter(limiter, 'a')
  }
  wait(limiter, 'a')
})

test('a rate below one a second still starts one event', () => {
  const limiter = new Limiter({ byType: { a: { perSecond: 0.5 } } })
  enter(limiter, 'a')
  expect(limiter.limited().wakeAfterSeconds).toBe(2)
  pass(2)
  enter(limiter, 'a')
  wait(limiter, 'a')
})

test('the earliest of several limits is when to look again', () => {
  const limiter = new Limiter({
    byType: { slow: { perSecond: 1 }, fast: { perSecond: 10 }, busy: { concurrency: 1 } },
  })
  enter(limiter, 'slow')
  enter(limiter, 'busy')
  for (let i = 0; i < 10; i++) {
    enter(limiter, 'fast')
  }
  expect(limiter.limited()).toEqual({
    types: ['slow', 'fast', 'busy'],
    resources: [],
    wakeAfterSeconds: 0.1,
  })
})

test('events that find no place come back one after the other, as the rate allows', () => {
  const limiter = new Limiter({ byType: { a: { perSecond: 2 } } })
  enter(limiter, 'a')
  enter(limiter, 'a')
  const waits = [wait(limiter, 'a'), wait(limiter, 'a'), wait(limiter, 'a')]
  expect(waits).toEqual([1, 1.5, 2])
  pass(10)
  enter(limiter, 'a')
  enter(limiter, 'a')
  expect(wait(limiter, 'a')).toBe(1)
})

test('where the concurrency is the limit, they come back as events are expected to end', () => {
  pass(7)
  const limiter = new Limiter({ byType: { a: { concurrency: 2 } } })
  const leave = [enter(limiter, 'a'), enter(limiter, 'a')]
  // Before the first end, an event is taken to last a second.
  expect([wait(limiter, 'a'), wait(limiter, 'a')]).toEqual([0.5, 1])
  pass(9)
  for (const each of leave) {
    each()
  }
  enter(limiter, 'a')
  enter(limiter, 'a')
  // Each end of 9 s moves the expected second a quarter of the way: 3 s, and then 4.5 s.
  expect(wait(limiter, 'a')).toBe(4.5 / 2)
})

test('events that last no time come back after a moment, not immediately', () => {
  const limiter = new Limiter({ byType: { a: { concurrency: 1 } } })
  for (let i = 0; i < 100; i++) {
    enter(limiter, 'a')()
  }
  enter(limiter, 'a')
  expect(wait(limiter, 'a')).toBe(0.05)
})

test('an event waits an hour at most, and the queue for a place grows no longer', () => {
  const limiter = new Limiter({ byType: { a: { perSecond: 0.001 } } })
  enter(limiter, 'a')
  for (let i = 0; i < 10; i++) {
    expect(wait(limiter, 'a')).toBeLessThanOrEqual(3600)
  }
  expect(wait(limiter, 'a')).toBe(3600)
  // Had the ten slots of 1000 s been kept, this one would still be an hour away.
  pass(3600)
  enter(limiter, 'a')
  expect(wait(limiter, 'a')).toBe(2000)
})

test('idle resources are forgotten, and those at their limit are not', () => {
  const looks = vi.spyOn(Gauge.prototype, 'isIdle')
  const limiter = new Limiter({ perResource: { concurrency: 2, perSecond: 2 } })
  const use = (resource: string) => enter(limiter, 'a', resource)()
  enter(limiter, 'a', 'running')
  enter(limiter, 'a', 'running')
  for (let i = 0; i < 997; i++) {
    use(`old-${i}`)
  }
  pass(60)
  use('half')
  use('recent')
  use('recent')
  expect(looks).not.toHaveBeenCalled()
  use('first')
  expect(looks).toHaveBeenCalledTimes(1000)
  wait(limiter, 'a', 'running')
  wait(limiter, 'a', 'recent')
  use('half')
  wait(limiter, 'a', 'half')
  // Four are kept, so there is space until the next search for idle ones.
  for (let i = 0; i < 996; i++) {
    use(`new-${i}`)
  }
  expect(looks).toHaveBeenCalledTimes(1000)
  use('second')
  expect(looks).toHaveBeenCalledTimes(2000)
})

test('an event that waits for its type needs no name, even if no more resources can be named', () => {
  const limiter = new Limiter({ byType: { b: { concurrency: 1 } }, perResource: { concurrency: 1 } })
  enter(limiter, 'b')
  for (let i = 0; i < 10_000; i++) {
    enter(limiter, 'a', `r${i}`)
    wait(limiter, 'a', `r${i}`)
  }
  expect(limiter.enter('b', undefined)).toMatchObject({ isNamed: true })
  expect(limiter.enter('b', 'other')).toMatchObject({ isNamed: true })
  enter(limiter, 'a', 'other')
  expect(limiter.enter('a', 'other')).toMatchObject({ isNamed: false })
})
