import { Queue, Worker } from 'bullmq'
import { expect, it } from 'vitest'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'

const nothing = () => {}

it('a PgBoss of version 9, which has no createQueue(), is rejected as too old', () => {
  const boss = { start: nothing, send: nothing, fetch: nothing, complete: nothing, fail: nothing }
  expect(() => pgBossQueue({ boss: { ...boss, getJobById: nothing } as never })).toThrow(
    'boss is of a version of pg-boss that is not supported; give one of pg-boss 10, 11 or 12',
  )
})

it.each([undefined, {}, 'boss'])('%o is no PgBoss', (boss) => {
  expect(() => pgBossQueue({ boss: boss as never })).toThrow('boss must be a PgBoss of pg-boss 10, 11 or 12')
})

it('a Queue of bullmq 4, which has no job schedulers, is rejected as too old', () => {
  class Old {
    add = nothing
  }
  expect(() => bullmqQueue({ Queue: Old as never, Worker, connection: {} })).toThrow(
    'Queue is of a version of bullmq that is not supported; give the one of bullmq 5.81 or later, or 6',
  )
  expect(() => bullmqQueue({ Queue, Worker, connection: {} })).not.toThrow()
})
