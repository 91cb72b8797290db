import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { migrations } from '../../src/stores/sqlite/migrations/sqlite-migrations.js'
import { open } from '../stores/sqlite-rig.js'
import { secret, settled } from './deliver.js'
import { accept, audit, invalid, operationsRig } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

describe('the audits of a receiver', () => {
  it('list what was done to an event, newest first, also after it is gone', async () => {
    const [receiver, other] = [receiverOf('audited'), receiverOf('other')]
    await accept(receiver, 'evt_1')
    await accept(receiver, 'evt_2')
    await receiver.replay('evt_1', audit)
    await receiver.replay('evt_2', audit)
    await receiver.replay('evt_1', { ...audit, actor: 'another' })
    const database = open(file())
    database.exec("UPDATE webhook_inbox_events SET state = 'dead' WHERE id = 'evt_1'")
    database.close()
    await receiver.discard('evt_1', audit)
    const entries = await receiver.audits({ eventId: 'evt_1' })
    expect(entries).toMatchObject([
      { action: 'discard', eventId: 'evt_1', endpoint: 'audited', ...audit },
      { action: 'replay', eventId: 'evt_1', actor: 'another' },
      { action: 'replay', eventId: 'evt_1', ...audit },
    ])
    expect((await receiver.audits({ limit: 2 })).map(({ action }) => action)).toEqual(['discard', 'replay'])
    expect(await receiver.audits({ after: entries[2]?.id as string })).toEqual([])
    const copy = await receiver.replayEdited('evt_2', { data: settled.data }, audit)
    expect(await receiver.audits({ subject: 'evt_2' })).toMatchObject([
      { action: 'replayEdited', eventId: copy, subject: 'evt_2' },
    ])
    expect(await other.audits()).toEqual([])
    expect(await other.audits({ allEndpoints: true })).toHaveLength(5)
  })

  it('take only the reason and the actor from the caller', async () => {
    const receiver = receiverOf('audited')
    await accept(receiver, 'evt_1')
    // As from a body that was parsed and passed on.
    const forged = {
      ...audit,
      action: 'discard',
      key: 'other',
      eventId: 'evt_2',
      endpoint: 'other',
      run: 'run-1',
    }
    await receiver.replay('evt_1', forged)
    await receiver.pause({ type: settled.type }, forged)
    await receiver.resume({ type: settled.type }, forged)
    const entries = await receiver.audits({ allEndpoints: true })
    expect(entries.map(({ action, endpoint, eventId, run }) => [action, endpoint, eventId, run])).toEqual([
      ['resume', 'audited', undefined, undefined],
      ['pause', 'audited', undefined, undefined],
      ['replay', 'audited', 'evt_1', undefined],
    ])
  })

  it('begin with what the version before has kept', async () => {
    const old = open(file())
    for (const sql of migrations.slice(0, 4)) {
      old.exec(sql)
    }
    old.exec(`CREATE TABLE webhook_inbox_schema (version INTEGER NOT NULL);
      INSERT INTO webhook_inbox_schema VALUES (4);
      INSERT INTO webhook_inbox_replays VALUES ('key', 1, 'first', 'somebody', 1000);
      INSERT INTO webhook_inbox_discards VALUES (1, 'key', 'evt_1', NULL, 'hash', 'second', 'somebody', 2000)`)
    old.close()
    const entries = await receiverOf('any').audits({ allEndpoints: true })
    expect(entries.map(({ action, reason, at }) => [action, reason, at])).toEqual([
      ['discard', 'second', '1970-01-01T00:00:02.000Z'],
      ['replay', 'first', '1970-01-01T00:00:01.000Z'],
    ])
  })

  it('reject arguments that they cannot use', async () => {
    const receiver = receiverOf('checked')
    for (const query of [{ eventId: '' }, { run: 1 }, { after: 'x' }, { limit: 1.5 }, null]) {
      await expect(receiver.audits(query as never)).rejects.toMatchObject(invalid)
    }
    await expect(receiver.audits({ event: 'evt_1' } as never)).rejects.toMatchObject({
      code: 'unknown_option',
    })
    const forgetful = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    await expect(forgetful.audits()).rejects.toMatchObject({ code: 'invalid_store' })
  })
})
