import type { World } from '../world.js'
import { always, type Nemesis } from './nemesis.js'

const at = '2026-01-02T03:04:05Z'
const envelope = (id: string, data: string) =>
  `{"id":"${id}","type":"payment.arrived","createdAt":"${at}","data":${data}}`
const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const bom = Buffer.from([0xef, 0xbb, 0xbf])

interface Poison {
  readonly name: string
  /** Whether it is a valid event. */
  readonly isEvent: boolean
  readonly body: (id: string) => Buffer | string
}

/** Bodies with a valid signature that are hard to process. */
export const poisons: readonly Poison[] = [
  { name: 'an empty body', isEvent: false, body: () => '' },
  { name: 'half a body', isEvent: false, body: (id) => `{"id":"${id}` },
  { name: 'no object', isEvent: false, body: (id) => `["${id}"]` },
  { name: 'no UTF-8', isEvent: false, body: (id) => Buffer.concat([Buffer.from(id), Buffer.of(0xff, 0xfe)]) },
  {
    name: 'a byte order mark',
    isEvent: false,
    body: (id) => Buffer.concat([bom, Buffer.from(envelope(id, '{}'))]),
  },
  { name: '1e400', isEvent: false, body: (id) => envelope(id, '{"amount":1e400}') },
  { name: 'two ids', isEvent: false, body: (id) => envelope(`${id}","id":"evt_other`, '{}') },
  { name: 'a lone surrogate in the id', isEvent: false, body: (id) => envelope(`${id}\\ud800`, '{}') },
  { name: 'a zero character in the id', isEvent: false, body: (id) => envelope(`${id}\\u0000`, '{}') },
  {
    name: '10,000 lists in one another',
    isEvent: false,
    body: (id) => envelope(id, `{"deep":${lists(10_000)}}`),
  },
  { name: 'a lone surrogate in the data', isEvent: true, body: (id) => envelope(id, '{"note":"\\udfff"}') },
  { name: 'a zero character in the data', isEvent: true, body: (id) => envelope(id, '{"note":"a\\u0000b"}') },
  { name: '__proto__', isEvent: true, body: (id) => envelope(id, '{"__proto__":{"polluted":1}}') },
  {
    name: 'a constructor',
    isEvent: true,
    body: (id) => envelope(id, '{"constructor":{"prototype":{"polluted":1}}}'),
  },
]

/** Deliveries with a valid signature and an invalid body. */
export const poison: Nemesis = {
  name: 'poison bodies',
  breaks: 'processes',
  appliesTo: always,
  async strike(world) {
    for (const each of world.random.shuffle(poisons)) {
      const { sent, isAcknowledged } = await brew(each, world)
      if (isAcknowledged) {
        await world.sender.send(sent, { seconds: 30 })
      } else {
        await world.sender.offer(sent)
      }
    }
    await reuseId(world)
  },
}

let count = 0

/** Makes a poison with its own id. Says whether it must be acknowledged: a store that keeps no bodies rejects it. */
export async function brew({ body, isEvent }: Poison, { sender, backend, random }: World) {
  const id = `evt_poison_${random.seed}_${count++}`
  const sent = await sender.poison(body(id), isEvent ? 'kept' : 'quarantined', id)
  return { sent, isAcknowledged: isEvent || backend.inbox !== undefined }
}

/** Sends an event, then other content with its id. The second must not be a duplicate and must not run. */
export async function reuseId({ sender, backend }: World) {
  const first = await sender.event()
  await sender.send(first)
  const body = Buffer.from(`${first.body}`.replace('"workMs":0', '"workMs":1'))
  const second = await sender.poison(body, backend.inbox ? 'quarantined' : 'nothing', `another ${first.id}`)
  if (backend.inbox) {
    await sender.send(second, { seconds: 30 })
  } else {
    await sender.offer(second)
  }
  return { first, second }
}
