import { describe, expect, test } from 'vitest'
import { Feed, type FeedMessage } from '../../src/control/feed.js'
import { RequestLog, type RequestRecord } from '../../src/control/request-log.js'

describe('the messages of the stream', () => {
  const idsOf = (messages: readonly FeedMessage[] | undefined) => messages?.map(({ id }) => id)

  test('are numbered within their start, and a reader gets those that it missed', () => {
    const feed = new Feed('start_1')
    feed.publish('request', { n: 1 })
    feed.publish('clock', { n: 2 })
    feed.publish('reset', {})
    expect(feed.since('start_1-1')).toEqual([
      { id: 'start_1-2', type: 'clock', data: { n: 2 } },
      { id: 'start_1-3', type: 'reset', data: {} },
    ])
    expect(idsOf(feed.since('start_1-0'))).toEqual(['start_1-1', 'start_1-2', 'start_1-3'])
    expect(feed.since('start_1-3')).toEqual([])
  })

  test.each(['start_1-4', 'start_2-1', 'start_1', 'start_1-x', ''])(
    'of a reader with the unknown place %j are not known',
    (id) => {
      const feed = new Feed('start_1')
      feed.publish('clock', {})
      expect(feed.since(id)).toBeUndefined()
    },
  )

  test('are kept, the newest 2,000', () => {
    const feed = new Feed('s')
    for (let count = 0; count < 2001; count++) {
      feed.publish('clock', count)
    }
    expect(feed.since('s-0')).toBeUndefined()
    expect(feed.since('s-1')).toHaveLength(2000)
    expect(feed.since('s-1')?.[0]).toEqual({ id: 's-2', type: 'clock', data: 1 })
  })

  test('go to each reader until it leaves', () => {
    const feed = new Feed('s')
    const [one, other]: [FeedMessage[], FeedMessage[]] = [[], []]
    const leave = feed.follow((message) => one.push(message))
    feed.follow((message) => other.push(message))
    feed.publish('clock', 1)
    leave()
    feed.publish('clock', 2)
    expect([idsOf(one), idsOf(other)]).toEqual([['s-1'], ['s-1', 's-2']])
  })
})

describe('the log of requests', () => {
  const requestOf = (id: number) => ({ id: `req_${id}` }) as RequestRecord

  test('lists the newest first, as many as are asked for, until it is cleared', () => {
    const log = new RequestLog()
    for (let id = 1; id <= 3; id++) {
      log.add(requestOf(id))
    }
    expect(log.list(2).map(({ id }) => id)).toEqual(['req_3', 'req_2'])
    expect(log.list(9)).toHaveLength(3)
    log.clear()
    expect(log.list(9)).toEqual([])
  })

  test('keeps the newest 1,000', () => {
    const log = new RequestLog()
    for (let id = 1; id <= 1001; id++) {
      log.add(requestOf(id))
    }
    const kept = log.list(2000)
    expect([kept.length, kept.at(-1)?.id]).toEqual([1000, 'req_2'])
  })
})
