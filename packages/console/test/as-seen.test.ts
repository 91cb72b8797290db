import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres.js'
import { consoleHandler } from '../src/index.js'
import type { PauseRow, ProblemDocument } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, postgres, sqlite } from './rig.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

const ann = { reason: 'bank is down', actor: 'Ann' }
const cid = { reason: 'a wrong amount', actor: 'Cid' }

describe.each([
  ['SQLite', sqlite],
  ['Postgres', postgres(() => server.url)],
])('an act on %s names what the person saw', (_, makeStore) => {
  async function open() {
    const { receiver } = await openFilledInbox(makeStore)
    const url = await listen(consoleHandler(receiver, all))
    const send = async (path: string, body: object) => {
      const response = await fetch(`${url}/api/${path}`, act('a test', {}, body))
      return { status: response.status, ...((await response.json()) as Partial<ProblemDocument>) }
    }
    return { receiver, url, send }
  }

  it.each([[{}], [{ type: 'transfer.failed' }], [{ resource: 'tr_1' }]])(
    'a resume ends no pause that somebody began since: %j',
    async (target) => {
      const { receiver, url, send } = await open()
      await receiver.pause(target, ann)
      const [shown] = await json<PauseRow[]>(`${url}/api/flow/pauses`)
      const resume = () => send('flow/resume', { ...target, seen: shown?.at })
      await receiver.resume(target, ann)
      expect(await resume()).toEqual({ status: 200, isChanged: false })
      await receiver.pause(target, cid)
      const paused = await receiver.paused()
      expect(await resume()).toMatchObject({
        status: 409,
        code: 'pause_changed',
        detail: `The pause that was shown has ended. It was paused again at ${paused[0]?.pausedAt} by Cid: a wrong amount. Nothing was changed.`,
      })
      expect(await receiver.paused()).toEqual(paused)
      expect((await receiver.audits({ limit: 1 }))[0]?.action).toBe('pause')
      expect(await send('flow/resume', { ...target, seen: undefined })).toMatchObject({ status: 422 })
      const [now] = await json<PauseRow[]>(`${url}/api/flow/pauses`)
      expect(await send('flow/resume', { ...target, seen: now?.at })).toEqual({
        status: 200,
        isChanged: true,
      })
    },
  )
})
