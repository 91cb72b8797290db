import { afterAll, beforeAll, expect, it } from 'vitest'
import { openRig, type Rig, steady } from './rig.js'

let rig: Rig
beforeAll(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

const columns = 'RECEIVED  STATE  ATTEMPTS  TYPE  EVENT  LAST ERROR'
const dead = [1, 2, 3].map(
  (n) => `TIME  dead  1  transfer.failed  evt_${n}  handler_failed: Error: the ledger refuses tr_evt_${n}`,
)
const counts = ['accepted  0', 'failed  0', 'done  1', 'dead  3', 'quarantined  1']
const advice = '`webhook-inbox inbox failures` lists why events are dead or deliveries are in quarantine.'
const causes = [
  'CAUSE  COUNT  STATE  GROUP  LAST SEEN  EXAMPLE',
  'invalid_json  1  open  invalid_json  TIME  a delivery',
  'Error: the ledger refuses *, at transfer.failed programs/receiver.ts  3  open  GROUP  TIME  evt_3',
]

/** What each command shows to a person on a wide terminal, and its exit code. */
it.each<[string, number, readonly string[]]>([
  ['list', 0, [columns, 'TIME  done  1  transfer.settled  evt_good', ...dead]],
  [
    'list --order newest --limit 5',
    0,
    [columns, ...dead.toReversed(), 'TIME  done  1  transfer.settled  evt_good'],
  ],
  [
    'list --limit 1',
    0,
    [columns, 'TIME  done  1  transfer.settled  evt_good', 'There may be more: --limit 1 is reached.'],
  ],
  ['list --state accepted', 0, ['No event matches.']],
  ['list --state failed', 0, ['No event matches.']],
  ['list --type transfer.*  --state dead', 0, [columns, ...dead]],
  ['dead', 0, [columns, ...dead]],
  ['dead --limit 4', 0, [columns, ...dead]],
  ['dead --limit 3', 0, [columns, ...dead, 'There may be more: --limit 3 is reached.']],
  ['failures', 0, causes],
  ['failures --state open', 0, causes],
  ['failures --limit 3 --all-endpoints', 0, causes],
  ['failures --limit 2', 0, [...causes, 'There may be more: --limit 2 is reached.']],
  ['failures --state resolved', 0, ['Nothing has failed.']],
  ['quarantine', 0, ['RECEIVED  REASON  TIMES  EVENT  KEY', 'TIME  invalid_json  1  payments/KEY']],
  ['quarantine --code invalid_data', 0, ['Nothing is in quarantine.']],
  ['plans', 0, ['There is no plan.']],
  ['runs', 0, ['There is no run.']],
  ['audits', 0, ['There is no entry.']],
  [
    'explain evt_1',
    0,
    [
      'Event evt_1 is dead: handler_failed: Error: the ledger refuses tr_evt_1. It runs again only when it is replayed.',
    ],
  ],
  ['explain evt_x', 1, ['No event evt_x is kept for the endpoint payments.']],
  ['health', 0, [...counts, 'oldest unprocessed event: 0 s', advice]],
  [
    'health --max-dead 3 --max-quarantined 1 --max-age 0',
    0,
    [...counts, 'oldest unprocessed event: 0 s', advice],
  ],
  [
    'health --max-dead 2',
    1,
    [...counts, 'oldest unprocessed event: 0 s', '3 events are dead, more than 2', advice],
  ],
  [
    'health --max-quarantined 0',
    1,
    [...counts, 'oldest unprocessed event: 0 s', '1 delivery is in quarantine, more than 0', advice],
  ],
  ['prune', 0, ['0 events and deliveries deleted.']],
  ['prune --json', 0, ['{"deleted":0}']],
  ['migrate', 0, ['The tables are up to date.']],
  ['migrate --json', 0, ['{"isMigrated":true}']],
  ['show evt_x', 1, ['no event evt_x is kept']],
  [`show payments/${'0'.repeat(64)}`, 1, ['no quarantined delivery payments/KEY is kept']],
  [
    'show evt_1 --kind delivery',
    1,
    [
      'Event evt_1 is dead: handler_failed: Error: the ledger refuses tr_evt_1. It runs again only when it is replayed.',
    ],
  ],
  ['replay --state accepted --reason r', 0, ['0 events match.']],
  [
    'replay --state done --reason r --dry-run',
    0,
    [columns, 'TIME  done  1  transfer.settled  evt_good', '1 event matches.'],
  ],
  ['replay --resource tr_evt_2 --reason r --dry-run', 0, [columns, dead[1] ?? '', '1 event matches.']],
  ['replay evt_1 --reason r --dry-run', 0, ['evt_1 is dead.']],
  ['replay evt_good --reason r --dry-run', 0, ['evt_good is done.']],
  ['replay evt_good --reason r --state done --dry-run', 0, ['evt_good is done.']],
  [
    'replay evt_good --reason r --state dead --dry-run',
    1,
    ['webhook-inbox: evt_good is done, not dead; nothing was done'],
  ],
  [
    'replay evt_good --reason r --yes',
    1,
    [
      'webhook-inbox: evt_good is done, so its effects would be repeated; to do so, add --state done --yes; nothing was done',
    ],
  ],
  ['discard evt_1 --reason r --dry-run', 0, ['evt_1  dead event, transfer.failed']],
  [
    'discard evt_good evt_x --reason r --dry-run',
    1,
    [
      'evt_good  rejected: it is done, and only a dead event can be discarded',
      'evt_x  rejected: no dead event and no quarantined delivery is kept under it',
      'webhook-inbox: nothing was done: 2 of 2 cannot be discarded',
    ],
  ],
  ['undo evt_1 --reason r --yes', 1, ['webhook-inbox: nothing was restored: nothing was discarded under it']],
  ['undo evt_1 --reason r --dry-run', 1, ['nothing that was discarded under evt_1 can be restored']],
  ['verify-again --reason r --dry-run', 0, ['1 delivery in quarantine matches.']],
  ['verify-again --reason r --dry-run --code invalid_data', 0, ['0 deliveries in quarantine match.']],
  [
    'verify-again --reason r --yes',
    1,
    ['1 delivery in quarantine matches.', 'payments/KEY  stays: invalid_json'],
  ],
  ['resume --reason r', 0, ['the endpoint was not paused']],
  ['resume --reason r --type a.b', 0, ['type a.b was not paused']],
  ['resume --reason r --resource tr_1', 0, ['resource tr_1 was not paused']],
])('inbox %s', async (line, code, lines) => {
  const printed = await rig.terminal(line.split(/ +/))
  const screen = steady(printed.screen).map((each) => each.replace(/(?<= open {2})[0-9a-f]{8} /, 'GROUP '))
  expect([printed.code, ...screen]).toEqual([code, ...lines])
})
