import { userInfo } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAudit } from '../../src/inbox/audit.js'
import { openRig, type Rig } from './rig.js'

let rig: Rig
beforeAll(async () => {
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

describe('inbox', () => {
  it('takes the actor from the name of the user', () => {
    expect(readAudit({ reason: 'r', actor: undefined })).toEqual({ reason: 'r', actor: userInfo().username })
    expect(readAudit({ reason: 'r', actor: 'the night shift' }).actor).toBe('the night shift')
  })

  it.each([
    [['replay', 'evt_1'], 'say why with --reason'],
    [['replay', 'evt_1', '--reason', ' '], 'say why with --reason'],
    [['replay', 'evt_1', '--reason', '\u200b\ufeff'], 'say why with --reason'],
    [['replay', 'evt_1', '--reason', 'r', '--actor', ''], 'say who acts with --actor'],
    [['replay', 'evt_1', '--reason', 'r', '--actor', '\u200b'], 'say who acts with --actor'],
    [['replay', '--reason', 'r'], 'say which ones: --state dead'],
    [['replay', 'evt_1', '--type', 'a', '--reason', 'r'], 'not both'],
    [['replay', '--state', 'dead', '--since', 'now', '--reason', 'r'], '--since must be'],
    [['replay', '--state', 'dead', '--since=-1', '--reason', 'r'], '--since must be'],
    [['replay', '--state', 'dead', '--since', '2.1.2026', '--reason', 'r'], '--since must be'],
    [['plan', 'discard', '--until', '2026-02-30'], '--until must be'],
    [['list', '--since', '2026-01-31T12:00'], '--since must be'],
    [['discard', 'evt_good', '--yes'], 'say why with --reason'],
    [['verify-again', '--reason', 'r'], 'add --yes to act'],
    [['verify-again', '--code', 'none', '--reason', 'r', '--yes'], 'code must be'],
    [['replay-edited', 'evt_1', '-', '--reason', 'r'], 'add --yes to act'],
    [['replay-edited', 'evt_1', 'none.json', '--reason', 'r', '--yes'], 'there is no such file'],
    [['replay-edited', 'evt_1', '-', '--data', '--reason', 'r', '--yes'], 'the input is not JSON'],
    [['health', '--max-quarantined', 'few'], '--max-quarantined must be a whole number'],
  ])('%j is rejected', async (args, message) => {
    const printed = await rig.inbox(args)
    expect(printed).toMatchObject({ code: 2, stdout: '' })
    expect(printed.stderr).toContain(message)
  })

  it.each([
    [['replay', 'evt_unknown', '--reason', 'r'], 'no event evt_unknown is kept'],
    [['replay-edited', 'evt_unknown', '-', '--reason', 'r', '--yes'], 'no event evt_unknown is kept'],
    [
      ['verify-again', 'payments/00', '--reason', 'r', '--yes'],
      'no quarantined delivery payments/00 is kept',
    ],
  ])('%j finds nothing, which no help explains', async (args, message) => {
    const { code, stdout, stderr } = await rig.inbox(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('--help')
  })
})
