/** Checked by `tsc` and never run: no export of the package is or contains `any`, at any depth. */
import { expectTypeOf } from 'vitest'
import type * as api from '../../src/index.js'

type IsAny<T> = 0 extends 1 & T ? true : false

/** Types of the platform, some of which contain `any`. */
type Platform = Uint8Array | AbortSignal | Date | Headers | RegExp | Map<unknown, unknown>

/** The paths at which a type is `any`; `never` where it is nowhere. */
type AnyIn<T, Path extends string = '', Depth extends 0[] = []> = Depth['length'] extends 7
  ? never
  : IsAny<T> extends true
    ? Path extends ''
      ? 'itself'
      : Path
    : [T] extends [never]
      ? never
      : T extends Platform | string | number | boolean | bigint | symbol | null | undefined
        ? never
        : T extends Promise<infer Value>
          ? AnyIn<Value, `${Path}.then`, [...Depth, 0]>
          : T extends (...args: infer Args) => infer Result
            ? AnyIn<Args[number], `${Path}(…)`, [...Depth, 0]> | AnyIn<Result, `${Path}()`, [...Depth, 0]>
            : T extends readonly (infer Item)[]
              ? AnyIn<Item, `${Path}[]`, [...Depth, 0]>
              : T extends object
                ? { [Key in keyof T & string]: AnyIn<T[Key], `${Path}.${Key}`, [...Depth, 0]> }[keyof T &
                    string]
                : never

// The check finds a planted `any`.
// biome-ignore lint/suspicious/noExplicitAny: what the check is to find
expectTypeOf<AnyIn<{ a: { b: any } }>>().toEqualTypeOf<'.a.b'>()
// biome-ignore lint/suspicious/noExplicitAny: what the check is to find
expectTypeOf<AnyIn<(x: { y: any[] }) => void>>().toEqualTypeOf<'(…).y[]'>()
// biome-ignore lint/suspicious/noExplicitAny: what the check is to find
expectTypeOf<AnyIn<() => Promise<any>>>().toEqualTypeOf<'().then'>()
// biome-ignore lint/suspicious/noExplicitAny: what the check is to find
expectTypeOf<AnyIn<any>>().toEqualTypeOf<'itself'>()
expectTypeOf<AnyIn<unknown>>().toBeNever()

/** Functions and `codes`. The static side of an error class belongs to the platform. */
type Values = Omit<typeof api, `${string}Error` | 'JobNotDone' | 'HandlerFailure'>
expectTypeOf<AnyIn<Values>>().toBeNever()
type Own<T> = Omit<T, 'cause' | 'stack'>
expectTypeOf<AnyIn<Own<api.VerificationError>>>().toBeNever()
expectTypeOf<AnyIn<Own<api.PayloadError>>>().toBeNever()
expectTypeOf<AnyIn<Own<api.ConfigurationError>>>().toBeNever()
expectTypeOf<AnyIn<Own<api.StoreError>>>().toBeNever()
expectTypeOf<AnyIn<Own<api.JobNotDone>>>().toBeNever()
expectTypeOf<AnyIn<Own<api.HandlerFailure>>>().toBeNever()

interface Client {
  query(sql: string): Promise<void>
}
interface Events {
  a: { b: string }
}

expectTypeOf<
  AnyIn<{
    approval: api.ApprovalUpdated
    accept: api.AcceptOutcome
    audit: api.Audit
    inbox: api.Inbox<Client>
    operations: api.Operations
    queue: api.Queue<Client>
    retry: api.Retry
    worker: api.Worker
    stored: api.StoredEvent
    quarantine: api.StoredQuarantine
    acknowledged: api.Acknowledged
    claim: api.Claim
    code: api.Code
    common: api.CommonOptions<Client>
    configurationCode: api.ConfigurationCode
    conflictCode: api.ConflictCode
    eventRef: api.EventRef
    events: api.EventsOf<Events, object>
    gate: api.Gate
    gateOptions: api.GateOptions
    handler: api.Handler<'a', Events['a'], Client>
    handlers: api.Handlers<Events, Client>
    handlerContext: api.HandlerContext<Client>
    headerValue: api.HeaderValue
    inexact: api.InexactNumbers
    infer: api.InferSchemas<{ a: api.StandardSchema<{ b: string }> }>
    known: api.KnownEvents
    leases: api.LeaseStore
    logger: api.Logger
    memory: api.MemoryStoreOptions
    once: api.OnceOutcome<string>
    outcome: api.Outcome
    payloadCode: api.PayloadCode
    receiver: api.Receiver
    receiverOptions: api.ReceiverOptions<Events, api.Schemas, Client>
    request: api.ReceiveRequest
    result: api.ReceiveResult
    schemas: api.Schemas
    scheme: api.SignatureScheme
    secrets: api.Secrets
    sign: api.SignInput
    store: api.Store<Client>
    guarantee: api.StoreGuarantee
    durations: api.Durations
    unacknowledged: api.Unacknowledged
    verified: api.Verified
    verify: api.VerifyInput
    verificationCode: api.VerificationCode
    event: api.WebhookEvent<'a', Events['a']>
    work: api.WorkContext<Client>
  }>
>().toBeNever()

expectTypeOf<AnyIn<api.WebhookEvent>>().toBeNever()
expectTypeOf<api.WebhookEvent['data']>().toBeUnknown()
expectTypeOf<api.Unacknowledged['cause']>().toBeUnknown()
