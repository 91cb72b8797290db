import { describe, expect, test } from 'vitest'
import { placeOf } from '../../src/store/stack-place.js'

describe('a place', () => {
  const frame = (...lines: string[]) => `Error: failed\n${lines.map((line) => `    at ${line}`).join('\n')}`

  test.each([
    ['credit (file:///srv/app/releases/7/src/handlers.ts:12:34)', 'credit src/handlers.ts'],
    [
      'async Object.transfer.settled (/srv/app/src/handlers.ts:1:2)',
      'Object.transfer.settled src/handlers.ts',
    ],
    ['Ledger.pay [as credit] (C:\\app\\src\\ledger.js:1:2)', 'Ledger.pay src/ledger.js'],
    ['/srv/app/dist/main.js:1:2', 'dist/main.js'],
    ['run (/srv/app/dist/main-3f9ab271.js:1:99)', 'run dist/main.js'],
  ])('of %s is %s', (line, place) => {
    expect(placeOf(frame(line), 'failed')).toBe(place)
  })

  test('is the first in the user’s own code', () => {
    const stack = frame(
      'Socket.<anonymous> (node:net:12:3)',
      'Client.query (/srv/app/node_modules/pg/lib/client.js:1:2)',
      'Array.map (<anonymous>)',
      'async pay (/srv/app/src/pay.ts:3:4)',
    )
    expect(placeOf(stack, 'failed')).toBe('pay src/pay.ts')
    expect(placeOf(frame('Socket.<anonymous> (node:net:12:3)'), 'failed')).toBeUndefined()
    expect(placeOf('no stack at all', 'failed')).toBeUndefined()
  })

  test('is never a line that is no frame', () => {
    const stack = 'Error: failed\n   read (/srv/evil/1.ts:1:1)\n    at real (/srv/app/real.ts:1:1)'
    expect(placeOf(stack, 'failed')).toBe('real app/real.ts')
  })

  test('is never taken from the message', () => {
    const message = 'bad name x\n    at steered (/srv/evil/1.ts:1:1)'
    for (const name of ['Error: ', '']) {
      const stack = `${name}${message}\n    at real (/srv/app/real.ts:1:1)`
      expect(placeOf(stack, message)).toBe('real app/real.ts')
    }
  })
})

test('a place is not taken from a message that was made longer since', () => {
  const message = `${'x'.repeat(300)}\n    at steered (/srv/evil/1.ts:1:1)`
  const stack = `Error: ${message}\n    at real (/srv/app/real.ts:1:1)\n    at next (/srv/app/next.ts:1:1)`
  expect(placeOf(stack, `${message} (more)`)).toBe('next app/next.ts')
})

describe('the place of an error', () => {
  const at = (...frames: string[]) => ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n')
  const foreign = 'next (node:internal/process/task_queues:95:5)'

  test.each([
    ['pay (/srv/app/pay.ts:1:2)', 'pay app/pay.ts'],
    ['/srv/app/pay.ts:1:2', 'app/pay.ts'],
    [' (/srv/app/pay.ts:1:2)', 'app/pay.ts'],
    ['async pay [as handler] (/srv/app/pay.ts:1:2)', 'pay app/pay.ts'],
    [' [as handler] (/srv/app/pay.ts:1:2)', 'app/pay.ts'],
    ['  (/srv/app/pay.ts:1:2)', 'app/pay.ts'],
    ['pay (http://localhost:3000/src/pay.ts:12:7)', 'pay src/pay.ts'],
    ['an async step (/srv/app/pay.ts:1:2)', 'an async step app/pay.ts'],
    ['pay (/srv/app/pay-handler.js:1:2)', 'pay app/pay-handler.js'],
    ['pay (/srv/app/pay-f9ab2713.js:1:2)', 'pay app/pay.js'],
    ['pay (/srv/app-f9ab2713/pay.js:1:2)', 'pay app/pay.js'],
    ['/srv/app (old)/pay.ts:1:2', 'app (old)/pay.ts'],
    [`${'x'.repeat(200)} (/srv/app/pay.ts:1:2)`, 'x'.repeat(160)],
  ])('at %j is %j', (frame, place) => {
    expect(placeOf(at(frame), 'no')).toBe(place)
    expect(placeOf(at(foreign, frame), 'no')).toBe(place)
  })

  test('is not what a sender wrote into the message', () => {
    const message = 'no\n    at fake (/srv/evil/fake.ts:1:2)'
    const stack = `Error: ${message}\n    at pay (/srv/app/pay.ts:1:2)`
    expect(placeOf(stack, message)).toBe('pay app/pay.ts')
    expect(placeOf(stack, 'another message')).toBe('fake evil/fake.ts')
  })

  test('is looked for in thirty frames', () => {
    const frames = (count: number) => at(...Array<string>(count).fill(foreign), 'pay (/srv/app/pay.ts:1:2)')
    expect([placeOf(frames(29), 'no'), placeOf(frames(30), 'no')]).toEqual(['pay app/pay.ts', undefined])
  })

  test('is looked for in 8192 characters', () => {
    const behind = (count: number) => at(`${'x'.repeat(count)} (node:net:1:2)`, 'pay (/srv/app/pay.ts:1:2)')
    expect([placeOf(behind(8000), 'no'), placeOf(behind(8192), 'no')]).toEqual(['pay app/pay.ts', undefined])
  })
})
