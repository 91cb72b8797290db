import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { bundle, type Program } from '../setup/bundle.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import type { ManyHandlers } from './many-handlers.js'

let postgres: PostgresServer
let redis: RedisServer
let program: Program
beforeAll(async () => {
  const path = fileURLToPath(new URL('./many-handlers.ts', import.meta.url))
  ;[postgres, redis, program] = await Promise.all([
    startPostgres(),
    startRedis({ appendonly: 'yes' }),
    bundle(path),
  ])
})
afterAll(async () => {
  program?.remove()
  removeFiles()
  await Promise.all([postgres?.close(), redis?.close()])
})

it.each(['local', 'pg-boss', 'bullmq'] as const)(
  'Node prints no warning while thirty handlers run at once, on %s',
  async (queue) => {
    const count = 30
    const told: ManyHandlers = { queue, count, file: newFile(), postgres: postgres.url, redis: redis.port }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      '--trace-warnings',
      program.path,
      JSON.stringify(told),
    ])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({ running: count, aborts: 0 })
  },
)
