import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyCall } from './call-fault.js'
import { inboxLaws, runInboxLaw } from './inbox-fault.js'

/** A law fails for an inbox that cannot answer. It does not wait forever, and leaves no promise unhandled. */

const laws = inboxLaws().filter((law) => !law.includes(' (skipped: ') && !law.includes('lacks names'))
const unhandled: unknown[] = []
const note = (error: unknown) => void unhandled.push(error)

beforeAll(() => {
  process.on('unhandledRejection', note)
})

afterAll(() => {
  process.off('unhandledRejection', note)
})

describe('on an inbox that cannot answer', () => {
  it.each(laws)('this law fails: %s', async (law) => {
    const calls: string[] = []
    await expect(runInboxLaw(law, { fault: { call: everyCall, change: 'rejects' } })).rejects.toThrow()
    await runInboxLaw(law, { note: (call) => void calls.push(call) })
    for (const call of [calls[0], calls.at(-1)] as string[]) {
      await runInboxLaw(law, { fault: { call, change: 'rejects' } }).catch(() => {})
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  })
})
