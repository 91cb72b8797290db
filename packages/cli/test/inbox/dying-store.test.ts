import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres.js'
import { jsonLines, openRig, type Rig } from './rig.js'
import { hasTerminal, typed } from './terminal.js'

let server: PostgresServer
let rig: Rig
let plan: string
beforeAll(async () => {
  server = await startPostgres()
  rig = await openRig('receiver-on-postgres.ts', { INBOX_POSTGRES: server.url })
  plan = jsonLines((await rig.inbox(['plan', 'discard'])).stdout)[0].id
})
afterAll(async () => {
  await rig?.close()
  await server?.close()
})

describe.skipIf(!hasTerminal)('a store that dies at the question (needs script of util-linux)', () => {
  let isStopped = false
  beforeEach(async () => {
    if (isStopped) {
      await server.start()
    }
    isStopped = true
  })

  it.each([
    ['run', () => ['run', plan]],
    ['replay', () => ['replay', '--state', 'dead']],
    ['discard', () => ['discard', 'evt_1']],
  ])('ends %s with 3', async (_, args) => {
    const { code, screen } = await typed(rig.module, args(), 'y\r', () => server.stop('fast'))
    expect(screen).toContain('[y/N] ')
    expect(screen).toContain('webhook-inbox: the store cannot be reached: store_unavailable: ')
    expect(code).toBe(3)
  })
})
