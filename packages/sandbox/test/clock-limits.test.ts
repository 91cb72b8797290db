import { describe, expect, test } from 'vitest'
import { realClock, virtualClock } from '../src/clock.js'
import { Ids } from '../src/ids.js'

const start = Date.UTC(2030, 0, 1)
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const numberOf = (text: string) => [...text].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)

describe('a clock', () => {
  test('starts at the time of the system, or where it is told to', () => {
    for (const make of [realClock, virtualClock]) {
      expect(Math.abs(make().now() - Date.now())).toBeLessThan(1000)
      expect(Math.abs(make({ startAt: start }).now() - start)).toBeLessThan(1000)
    }
  })

  test('shows whole milliseconds', async () => {
    const clock = virtualClock({ startAt: start })
    await clock.advance(0.0015)
    expect(clock.now()).toBe(start + 1)
  })

  test('may be advanced by nothing, and to the last time there is', async () => {
    const clock = virtualClock({ startAt: start })
    await clock.advance(0)
    expect(clock.now()).toBe(start)
    const rest = (8.64e15 - start) / 1000
    await expect(clock.advance(rest + 1)).rejects.toThrow('The clock advances by zero or more seconds.')
    await clock.advance(rest)
    expect(clock.now()).toBe(8.64e15)
  })

  test('cancels a call once, also after it was made', async () => {
    const clock = virtualClock({ startAt: start })
    const calls: string[] = []
    const cancel = clock.at(start + 1000, () => calls.push('first'))
    clock.at(start + 2000, () => calls.push('second'))
    await clock.advance(1)
    cancel()
    cancel()
    await clock.advance(1)
    expect(calls).toEqual(['first', 'second'])
  })

  test('that runs makes the next call after the first one was canceled', async () => {
    const clock = realClock()
    const calls: string[] = []
    const cancel = clock.at(clock.now() + 10, () => calls.push('canceled'))
    const made = new Promise<void>((resolve) => {
      clock.at(clock.now() + 30, () => {
        calls.push('kept')
        resolve()
      })
    })
    cancel()
    await made
    expect(calls).toEqual(['kept'])
  })

  test('that runs makes an earlier call first that was asked for later', async () => {
    const clock = realClock()
    const calls: number[] = []
    const now = clock.now()
    await Promise.all(
      [40, 10, 25, 10].map(
        (delay, at) =>
          new Promise<void>((resolve) => {
            clock.at(now + delay, () => {
              calls.push(at)
              resolve()
            })
          }),
      ),
    )
    expect(calls).toEqual([1, 3, 2, 0])
  })

  test('that runs waits for the work of a call before it is advanced', async () => {
    const clock = realClock()
    const order: string[] = []
    clock.at(clock.now(), async () => {
      await new Promise((resolve) => setTimeout(resolve, 40))
      order.push('worked')
    })
    await new Promise((resolve) => setTimeout(resolve, 10))
    await clock.advance(60)
    order.push('advanced')
    expect(order).toEqual(['worked', 'advanced'])
  })

  test('is not stopped by held work or a call that fails', async () => {
    const clock = virtualClock({ startAt: start })
    clock.hold(Promise.reject(new Error('on purpose')))
    await clock.advance(1)
    clock.at(start + 1500, () => Promise.reject(new Error('a call')))
    await expect(clock.advance(1)).rejects.toThrow('a call')
    await clock.advance(1)
    expect(clock.now()).toBeGreaterThanOrEqual(start + 2500)
  })

  test('makes a call whose time has passed now, after those that were due before', async () => {
    const clock = virtualClock({ startAt: start })
    const calls: string[] = []
    clock.at(start, () => calls.push('due'))
    clock.at(start - 1000, () => calls.push('overdue'))
    await clock.advance(0)
    expect(calls).toEqual(['overdue', 'due'])
    expect(clock.now()).toBe(start)
  })
})

describe('an identifier', () => {
  test('has its time, its place within that millisecond, and a part that only its seed decides', () => {
    let now = start
    const ids = new Ids('seed', () => now)
    const partsOf = (id: string) => {
      const [, time = '', place = '', chance = ''] = /^tr_(.{10})(.{4})(.{12})$/.exec(id) ?? []
      return [numberOf(time), numberOf(place), chance] as const
    }
    const made = [ids.next('tr'), ids.next('tr'), ids.next('evt')]
    now += 1
    made.push(ids.next('tr'))
    now -= 5
    made.push(ids.next('tr'))
    const [first, second, , third, fourth] = made.map(partsOf)
    expect([first, second, third, fourth].map((parts) => parts?.slice(0, 2))).toEqual([
      [start, 0],
      [start, 1],
      [start + 1, 0],
      // A clock that was set back.
      [start + 1, 1],
    ])
    const again = new Ids('seed', () => 7)
    const other = new Ids('other', () => 7)
    expect(partsOf(again.next('tr'))[2]).toBe(first?.[2])
    expect(partsOf(again.next('tr'))[2]).toBe(second?.[2])
    expect(partsOf(other.next('tr'))[2]).not.toBe(first?.[2])
    expect(first?.[2]).not.toBe(second?.[2])
  })

  test('is the same for the same seed, clock and order', () => {
    const ids = new Ids('seed', () => start)
    expect([ids.next('wallet', 'kes'), ids.next('evt'), ids.next('evt')]).toEqual([
      expect.stringMatching(/^wallet_kes_[0-9A-HJKMNP-TV-Z]{26}$/),
      expect.stringMatching(/^evt_01\w{8}0001\w{12}$/),
      expect.stringMatching(/^evt_01\w{8}0002\w{12}$/),
    ])
  })

  test('has whole milliseconds, also of a clock with fractions', () => {
    expect(new Ids('seed', () => 31.9).next('tr')).toMatch(/^tr_000000000Z0000/)
  })
})
