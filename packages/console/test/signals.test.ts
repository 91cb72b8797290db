import { describe, expect, it } from 'vitest'
import { computed, effect, signal } from '../../ui/src/signals.js'

/** What an effect saw, each time that it ran. */
function seen<Value>(read: () => Value): { values: Value[]; end: () => void } {
  const values: Value[] = []
  return { values, end: effect(() => void values.push(read())) }
}

describe('an effect', () => {
  it('runs at once, and again after a change', () => {
    const count = signal(1)
    const { values } = seen(() => count.value)
    count.value = 2
    count.value = 2
    expect(values).toEqual([1, 2])
  })

  it('is not told of what it has not read this time, or has only looked at', () => {
    const isOn = signal(true)
    const count = signal(1)
    const other = signal(1)
    const { values } = seen(() => [isOn.value && count.value, other.peek()])
    isOn.value = false
    count.value = 2
    other.value = 2
    expect(values).toEqual([
      [1, 1],
      [false, 1],
    ])
  })

  it('does not run after its end', () => {
    const count = signal(1)
    const { values, end } = seen(() => count.value)
    end()
    count.value = 2
    expect(values).toEqual([1])
  })

  it('that ends another one before its turn keeps it from running', () => {
    const count = signal(1)
    const later = { end: () => {} }
    effect(() => {
      if (count.value === 2) {
        later.end()
      }
    })
    const { values, end } = seen(() => count.value)
    later.end = end
    count.value = 2
    expect(values).toEqual([1])
  })

  it('that changes what it reads ends first, and then runs again', () => {
    const count = signal(0)
    const order: string[] = []
    effect(() => {
      const at = count.value
      order.push(`begin ${at}`)
      count.value = Math.min(2, at + 1)
      order.push(`end ${at}`)
    })
    expect(order).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  it('that always changes what it reads fails, and does not run forever', () => {
    const count = signal(0)
    const endless = () =>
      effect(() => {
        if (count.value > 5000) {
          throw new Error('it ran forever')
        }
        count.value++
      })
    expect(endless).toThrow('an effect changes what it reads each time')
    const { values } = seen(() => count.value)
    count.value = 0
    expect(values.at(-1)).toBe(0)
  })

  it('that throws after a change keeps no other one from running', () => {
    const count = signal(1)
    effect(() => {
      if (count.value === 2) {
        throw new Error('no')
      }
    })
    const { values } = seen(() => count.value)
    expect(() => {
      count.value = 2
    }).toThrow('no')
    expect(values).toEqual([1, 2])
  })

  it('inside another one runs at once', () => {
    const count = signal(1)
    let isSeen = false
    effect(() => {
      effect(() => {
        isSeen = count.value === 1
      })
      expect(isSeen).toBe(true)
    })
  })

  it('that throws at once is not told of changes', () => {
    const count = signal(1)
    let runs = 0
    expect(() =>
      effect(() => {
        runs = count.value
        throw new Error('no')
      }),
    ).toThrow('no')
    count.value = 2
    expect(runs).toBe(1)
  })
})

describe('a computed value', () => {
  it('is made once for each change, and only when it is read', () => {
    const count = signal(1)
    let made = 0
    const twice = computed(() => {
      made++
      return count.value * 2
    })
    expect(made).toBe(0)
    expect([twice.value, twice.peek(), made]).toEqual([2, 2, 1])
    count.value = 2
    count.value = 3
    expect([twice.value, made]).toEqual([6, 2])
  })

  it('that cannot be made is made again after a change', () => {
    const count = signal(1)
    const made = computed(() => {
      if (count.value === 1) {
        throw new Error('no')
      }
      return count.value
    })
    const { values } = seen(() => {
      try {
        return made.value
      } catch {
        return 'none'
      }
    })
    count.value = 2
    expect(values).toEqual(['none', 2])
  })

  it('never shows an old value beside a new one', () => {
    const count = signal(1)
    const twice = computed(() => count.value * 2)
    const more = computed(() => twice.value + count.value)
    const { values } = seen(() => [count.value, twice.value, more.value])
    count.value = 2
    expect(values).toEqual([
      [1, 2, 3],
      [2, 4, 6],
    ])
  })
})
