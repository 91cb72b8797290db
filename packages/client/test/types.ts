/** Checked by `tsc` and never run: the types of the client, and that nothing of them decays to `any`. */

import { expectTypeOf } from 'vitest'
import type { WebhookEvent } from 'webhook-inbox'
import type * as z from 'zod'
import * as api from '../src/index.js'
import type * as schemas from '../src/schemas/index.js'

declare const client: api.Client

type IsAny<T> = 0 extends 1 & T ? true : false

/** The methods of the client whose argument or result is `any`, or holds one in a field. */
type AnyIn<T> = {
  [Key in keyof T & string]: IsAny<T[Key]> extends true
    ? Key
    : T[Key] extends (...args: infer Args) => infer Result
      ? IsAny<Args[number]> extends true
        ? Key
        : AnyInValue<Awaited<Result>> extends never
          ? never
          : Key
      : AnyIn<T[Key]> extends never
        ? never
        : Key
}[keyof T & string]

type AnyInValue<T> =
  IsAny<T> extends true
    ? 'itself'
    : T extends object
      ? { [Key in keyof T]: IsAny<T[Key]> extends true ? Key : never }[keyof T]
      : never

// The check itself finds what it is to find.
// biome-ignore lint/suspicious/noExplicitAny: what the check is to find
expectTypeOf<AnyIn<{ a: { get(): Promise<any> }; b: { get(): string } }>>().toEqualTypeOf<'a'>()
// biome-ignore lint/suspicious/noExplicitAny: what the check is to find
expectTypeOf<AnyIn<{ a: { get(): Promise<{ x: any }> } }>>().toEqualTypeOf<'a'>()
expectTypeOf<AnyIn<api.Client>>().toBeNever()
expectTypeOf<AnyInValue<api.Page<api.Wallet>>>().toBeNever()

// What the client takes and gives is what the schemas accept and describe.
expectTypeOf(client.wallets.create).parameter(0).toEqualTypeOf<z.input<typeof schemas.WalletRequest>>()
expectTypeOf(client.wallets.get).returns.resolves.toEqualTypeOf<z.infer<typeof schemas.Wallet>>()
expectTypeOf(client.transfers.get).returns.resolves.toEqualTypeOf<z.infer<typeof schemas.Transfer>>()
expectTypeOf(client.events.get).returns.resolves.toEqualTypeOf<z.infer<typeof schemas.ServiceEvent>>()
expectTypeOf(client.transfers.create).parameter(0).toEqualTypeOf<z.output<typeof schemas.TransferRequest>>()
expectTypeOf(client.webhookSubscriptions.create).returns.resolves.toExtend<{ secret: string }>()

// Known states complete in an editor, and any other is a string.
const transfer = await client.transfers.get('tr_1')
expectTypeOf(transfer.id).toEqualTypeOf<`tr_${string}`>()
expectTypeOf((await client.wallets.get('wallet_kes_ada')).id).toEqualTypeOf<`wallet_${string}_${string}`>()
expectTypeOf<'settled'>().toExtend<typeof transfer.status>()
expectTypeOf<'a state of tomorrow'>().toExtend<typeof transfer.status>()
expectTypeOf(transfer.aFieldOfTomorrow).toEqualTypeOf<unknown>()
expectTypeOf(transfer.amountMinor).toEqualTypeOf<number>()

// A known event tells its data by its type.
for await (const event of client.events.list()) {
  expectTypeOf(event.type).toEqualTypeOf<string>()
  if (api.isKnownEvent(event) && event.type === 'transfer.failed') {
    expectTypeOf(event.data.failureReason).toEqualTypeOf<string>()
  }
}
expectTypeOf<z.infer<typeof schemas.TransferSettledData>>().toExtend<
  import('webhook-inbox').KnownEvents['transfer.settled']
>()
expectTypeOf<WebhookEvent>().toHaveProperty('data')

// The two shapes of a transfer do not mix.
const shared = { source: 'wallet_kes_ada', currency: 'KES' }
void client.transfers.create({ ...shared, destination: { type: 'x', network: 'y' }, amount: '1.00' })
void client.transfers.create({ ...shared, destination: 'wallet_kes_ben', amount: 1, rail: 'sim_settle' })
// @ts-expect-error a string amount does not belong to shape B
void client.transfers.create({ ...shared, destination: 'wallet_kes_ben', amount: '1.00', rail: 'sim_settle' })
// @ts-expect-error the rail is missing
void client.transfers.create({ ...shared, destination: 'wallet_kes_ben', amount: 1 })
// @ts-expect-error a number does not belong to shape A
void client.transfers.create({ ...shared, destination: { type: 'x', network: 'y' }, amount: 1 })
// @ts-expect-error only one of the two
api.createClient({ baseUrl: 'https://api.example.com', apiKey: 'x', auth: () => ({}) })
// @ts-expect-error one of the two
api.createClient({ baseUrl: 'https://api.example.com' })
// @ts-expect-error a misspelt option
void client.wallets.get('wallet_kes_ada', { timeout: 3 })
