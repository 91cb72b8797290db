import { describe, expect, it } from 'vitest'
import { hastyAttempts, repeatedEntries, whileMoving } from './attempts.js'
import type { JournalLine } from './modes.js'
import { openWorld } from './world.js'

const line = (what: JournalLine['what'], pid = 1, attempt = 1, id = 'evt_1'): JournalLine => ({
  what,
  id,
  pid,
  attempt,
  at: '0',
})

describe('an attempt that was entered twice under its number', () => {
  const [entered, overdue, failed] = [line('entered'), line('overdue'), line('failed')]

  it('is repeated', () => {
    expect(repeatedEntries([entered, failed, line('entered', 2)])).toEqual([
      'repeated without a fault: attempt 1 of evt_1',
    ])
  })

  it('is not repeated if the first entry exceeded its time limit', () => {
    expect(repeatedEntries([entered, overdue, failed, line('entered', 2)])).toEqual([])
    expect(repeatedEntries([entered, line('entered', 2), overdue, line('left', 2)])).toEqual([])
  })

  it.each([
    ['another process', line('overdue', 2)],
    ['another attempt', line('overdue', 1, 2)],
    ['another event', line('overdue', 1, 1, 'evt_2')],
  ])('is repeated if only %s exceeded the limit', (_, other) => {
    expect(repeatedEntries([entered, other, line('entered', 3)])).toHaveLength(1)
  })

  it('is repeated if the second entry was in time and a third followed', () => {
    expect(repeatedEntries([entered, overdue, line('entered', 2), line('entered', 3)])).toHaveLength(1)
  })
})

describe('an attempt that begins soon after the failure of the one before', () => {
  const leaseSeconds = 1
  const at = (ms: number, what: JournalLine['what'], pid = 1, attempt = 1): JournalLine => ({
    ...line(what, pid, attempt),
    at: String(ms * 1e6),
  })
  const first = [at(0, 'claims'), at(400, 'entered'), at(990, 'failed')]
  const second = (ms: number, pid = 2) => [at(ms, 'claims', pid, 0), at(ms + 10, 'entered', pid, 2)]

  it('is hasty', () => {
    const failed = [at(0, 'claims'), at(100, 'entered'), at(200, 'failed')]
    expect(hastyAttempts([...failed, ...second(210)], leaseSeconds, false)).toHaveLength(1)
    expect(hastyAttempts([...failed, ...second(310)], leaseSeconds, false)).toEqual([])
  })

  it('is not hasty if the lease of the one before had ended, which began with its claim', () => {
    expect(hastyAttempts([...first, ...second(1000)], leaseSeconds, false)).toEqual([])
    expect(hastyAttempts([...first, ...second(1000)], 5, false)).toHaveLength(1)
  })

  it('is measured from the failure of the process that claimed last, and not of one that lost its claim', () => {
    const lost = [at(0, 'claims'), at(10, 'entered'), at(500, 'failed')]
    const counted = (ms: number) => [at(100, 'claims', 2), at(110, 'entered', 2), at(ms, 'failed', 2)]
    expect(
      hastyAttempts([...lost.slice(0, 2), ...counted(300), ...lost.slice(2), ...second(510)], 5, false),
    ).toEqual([])
    expect(
      hastyAttempts([...lost.slice(0, 2), ...counted(450), ...lost.slice(2), ...second(510)], 5, false),
    ).toHaveLength(1)
  })

  it('is not hasty while a clock may be wrong, if the store uses it', () => {
    const jumped = [at(0, 'clock', 3), ...first, ...second(1000)]
    expect(hastyAttempts(jumped, 5, true)).toEqual([])
    expect(hastyAttempts(jumped, 5, false)).toHaveLength(1)
  })

  it('is not hasty after a lease that began while a clock was wrong', () => {
    const late = [at(5200, 'failed'), ...second(5210)]
    expect(hastyAttempts([at(0, 'clock', 3), ...first.slice(0, 2), ...late], leaseSeconds, true)).toEqual([])
  })
})

it('a process notes that a handler exceeded its time limit, and no other attempt', async () => {
  const settings = { handlerTimeoutSeconds: 0.3 }
  const world = await openWorld({ mode: 'sqlite + local', seed: 1, size: 1, settings })
  try {
    const { sender, journal, until } = world
    const [slow, fast] = [await sender.event({ workMs: 600 }), await sender.event()]
    await sender.sendAll([slow, fast])
    await until('both events end', () => journal().filter(({ what }) => what === 'left').length === 2)
    const overdue = journal().filter(({ what }) => what === 'overdue')
    expect(overdue.map(({ id, attempt }) => [id, attempt])).toEqual([[slow.id, 1]])
  } finally {
    await world.close()
  }
})

describe('a wait that follows progress', () => {
  const limits = { stillSeconds: 0.5, mostSeconds: 1.5 }

  /** Adds one every 50 ms, up to `most`. */
  function counting(most: number) {
    const from = performance.now()
    return () => Math.min(most, Math.floor((performance.now() - from) / 50))
  }

  it('outlasts the pause that it allows while something moves', async () => {
    const count = counting(20)
    await whileMoving('twenty', () => ({ moved: count(), isDone: count() === 20 }), limits)
  })

  it('ends when nothing moves', async () => {
    const count = counting(3)
    await expect(
      whileMoving('twenty', () => ({ moved: count(), isDone: false }), { ...limits, mostSeconds: 60 }),
    ).rejects.toThrow('nothing moved for 0.5 s: twenty')
  })

  it('ends at its bound even if something moves', async () => {
    const count = counting(1e6)
    await expect(whileMoving('the end', () => ({ moved: count(), isDone: false }), limits)).rejects.toThrow(
      'not within 1.5 s: the end',
    )
  })
})
