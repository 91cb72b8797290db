import PgBoss from 'pg-boss'
import { expect, it } from 'vitest'
import { pgBossQueue } from '../../src/queues/pg-boss.js'

it.each([
  [{ boss: undefined }, 'invalid_option', 'boss must be a PgBoss'],
  [{ name: 'a.b' }, 'invalid_option', 'name'],
  [{ concurrency: 0 }, 'invalid_option', 'concurrency must be'],
  [{ takeOverSeconds: 86_400 }, 'invalid_option', 'takeOverSeconds must be a whole number, below a day'],
  [{ takeOverSeconds: 1.5 }, 'invalid_option', 'takeOverSeconds must be a whole number, below a day'],
  [{ pollSeconds: Number.NaN }, 'invalid_option', 'pollSeconds must be'],
  [{ retry: { attempts: 1.5 } }, 'invalid_option', 'retry.attempts must be'],
  [{ retries: {} }, 'unknown_option', 'retries is not an option of pgBossQueue'],
  [{ retry: { attempt: 1 } }, 'unknown_option', 'attempt is not an option of retry of pgBossQueue'],
])('rejects %j, and says what is wrong', (options, code, words) => {
  const boss = new PgBoss('postgres://')
  expect(() => pgBossQueue({ boss, ...options } as never)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(words) }),
  )
})
