import { Queue, Worker } from 'bullmq'
import PgBoss from 'pg-boss'
import { expect, test } from 'vitest'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'

const retry = { attempts: 3 }

// The log shows these words when a receiver starts. The times follow from the options.
test.each([
  ['local', () => localQueue({ concurrency: 7, retry }), /7 at a time.*no event is lost.*: 3$/],
  [
    'BullMQ',
    () => bullmqQueue({ Queue, Worker, connection: {}, retry, sweepSeconds: 4, takeOverSeconds: 7 }),
    /^BullMQ, .*lost their job .* within about 8 s; .*process dies .* within about 14 s; attempts .*: 3$/,
  ],
  [
    'pg-boss',
    () => pgBossQueue({ boss: new PgBoss('postgres://'), retry, sweepSeconds: 4 }),
    /^pg-boss, .*commits with its event; .*process dies .* within about 8 s; attempts .*: 3$/,
  ],
])('the %s queue says what it promises', (_name, open, words) => {
  expect(open().guarantee).toMatch(words)
})

test('the queues run ten events at a time, unless they are told otherwise', () => {
  const boss = new PgBoss('postgres://')
  const queues = (options: object) => [
    localQueue(options),
    bullmqQueue({ Queue, Worker, connection: {}, ...options }),
    pgBossQueue({ boss, ...options }),
  ]
  expect(queues({}).map(({ concurrency }) => concurrency)).toEqual([10, 10, 10])
  expect(queues({ concurrency: 7 }).map(({ concurrency }) => concurrency)).toEqual([7, 7, 7])
})

test('the queues give the durations of their options, which start() checks', () => {
  const options = {
    sweepSeconds: 4,
    takeOverSeconds: 7,
    retry: { firstPauseSeconds: 2, longestPauseSeconds: 9 },
  }
  const { sweepSeconds, takeOverSeconds, ...local } = options
  const given = {
    sweepSeconds,
    takeOverSeconds,
    'retry.firstPauseSeconds': 2,
    'retry.longestPauseSeconds': 9,
  }
  expect(bullmqQueue({ Queue, Worker, connection: {}, ...options }).durations).toMatchObject(given)
  expect(pgBossQueue({ boss: new PgBoss('postgres://'), ...options }).durations).toMatchObject(given)
  expect(localQueue({ pollSeconds: 3, ...local }).durations).toMatchObject({
    pollSeconds: 3,
    'retry.firstPauseSeconds': 2,
    'retry.longestPauseSeconds': 9,
  })
})
