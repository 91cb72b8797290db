import type { ReceiveRequest } from 'webhook-inbox'
import { bodyOf, headerOf } from '../harness/bodies.js'
import { libraryIn } from './library.js'
import { type ReceiveName, receives } from './receives.js'
import { before, variants } from './variants.js'

/**
 * The measured process: `measured.ts <receive> <variant> <package> [database]`. Each has one variant, because code that is
 * compiled for several telemetries is slower for all of them.
 */
const [receive, name, directory, database] = process.argv.slice(2) as [ReceiveName, string, string, string?]
const variant = [...variants, before].find((each) => each.name === name)
if (!variant) {
  throw new Error(`there is no ${name}`)
}
const library = libraryIn(directory)
const telemetry = await variant.build(library)
const { take, port } = await receives[receive]({
  library,
  telemetry,
  hostTracer: variant.hostTracer?.(),
  byHand: variant.byHand?.(),
  database,
})

/** The parent asks for a turn with a number of deliveries, and with 0 for the use of this process so far. */
process.on('message', async (count: number) => {
  const requests = Array.from({ length: count }, newRequest)
  const from = use()
  await take?.(requests)
  const until = use()
  process.send?.(count === 0 ? until : until - from)
})
process.on('disconnect', () => process.exit())
process.send?.(port ?? 0)

/** Processor time in microseconds: all threads, user and system. */
function use(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

let made = 0

function newRequest(): ReceiveRequest {
  const id = `evt_${process.pid}_${++made}`
  const body = bodyOf(1000, id)
  const headers = {
    'content-type': 'application/json',
    'service-signature': headerOf(body),
    'service-event-id': id,
  }
  return { method: 'POST', headers, body }
}
