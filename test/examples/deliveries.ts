import { expect } from 'vitest'
import { tamper, testSender } from '../../src/testing/index.js'
import { type Program, start } from './program.js'

export const secret = 'whsec_of_the_test'

/** Starts an example on a free port, in a folder that has it below `examples`. Resolves to its address. */
export async function startExample(
  file: string,
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<{ program: Program; origin: string }> {
  const settings = { PORT: '0', WEBHOOK_SECRET: secret, ...env }
  const program = start(process.execPath, ['--import', 'tsx', `examples/${file}`], settings, cwd)
  const [, origin] = await program.says(/^listening on (http:\/\/localhost:\d+)\/webhooks/m)
  return { program, origin: origin as string }
}

/** Sends valid and invalid deliveries, and expects the responses of a receiver that credits a settled transfer once. */
export async function expectVerdicts(
  url: string,
  program: Program,
  { isQueued = false }: { readonly isQueued?: boolean } = {},
): Promise<void> {
  const taken = isQueued ? 'accepted' : 'processed'
  // `next dev` compiles a route at its first delivery.
  const sender = testSender({ url, secret, timeoutSeconds: 60 })
  for (const representation of ['camelCase', 'snake_case'] as const) {
    const first = await sender.send('transfer.settled', {}, { representation })
    const { id, data } = first.delivery.event
    expect(first).toMatchObject({ status: 200, outcome: taken, eventId: id })
    expect(await sender.redeliver(first)).toMatchObject({ status: 200, outcome: 'duplicate', eventId: id })
    await program.says(new RegExp(`credit ${data.transferId}\n`))
    expect(program.output().split(`credit ${data.transferId}\n`)).toHaveLength(2)
  }

  const twins = await sender.concurrent(10, 'transfer.settled')
  expect(twins.filter(({ outcome }) => outcome === taken)).toHaveLength(1)
  expect(twins.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(9)

  const delivery = await sender.prepare('transfer.settled')
  expect(await sender.deliver(tamper.body(delivery))).toMatchObject({
    status: 401,
    code: 'signature_mismatch',
  })
  expect(await sender.deliver(tamper.reserialize(delivery))).toMatchObject({ code: 'signature_mismatch' })
  const unsigned = tamper.dropHeader(delivery, 'service-signature')
  expect(await sender.deliver(unsigned)).toMatchObject({ status: 401, code: 'missing_signature' })
  const stale = await sender.send('transfer.settled', {}, { ageSeconds: 600 })
  expect(stale).toMatchObject({ status: 401, code: 'timestamp_out_of_tolerance' })
  expect(program.output()).not.toMatch(`credit ${delivery.event.data.transferId}`)
}

export async function expectCleanEnd(program: Program): Promise<void> {
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null })
}
