/**
 * Receive signed webhooks about money. Lose no event. On Postgres and SQLite, store the effects of each event once.
 *
 * @module
 */
export { type Code, codes } from './codes.js'
export type { EventsOf, Handler, HandlerContext, Handlers } from './dispatch/handlers.js'
export {
  type ConfigurationCode,
  ConfigurationError,
  type ConflictCode,
  ConflictError,
  HandlerFailure,
  JobNotDone,
  type PayloadCode,
  PayloadError,
  StoreError,
  type StoreReason,
  type VerificationCode,
  VerificationError,
  WebhookInboxError,
} from './errors.js'
export type {
  ApprovalUpdated,
  KnownEvents,
  LedgerMatched,
  TransferFailed,
  TransferSettled,
} from './event/catalog.js'
export type { WebhookEvent } from './event/event.js'
export { type EventOf, type IsEventOf, isEventOf, type KnownEvent } from './event/is-event-of.js'
export { type InexactNumbers, parseEvent } from './event/parse.js'
export type { InferSchemas, Schemas, StandardSchema } from './event/standard-schema.js'
export type { Limit, Limits } from './flow/limiter.js'
export { type ForwardOptions, forward } from './forward/forward.js'
export { type ForwardedEvent, handOver } from './forward/hand-over.js'
export type { Answer, Answering, ReadinessOptions } from './lifespan/probes.js'
export type { SignalOptions } from './lifespan/stop-on-signals.js'
export type { ChangeOptions, DiscardOptions, ReplayOptions } from './operations/change-events.js'
export type { Explanation } from './operations/explanation.js'
export type { FailureOperations, FailureQuery, GroupOptions } from './operations/failures.js'
export type { FlowTarget, ResumeOptions } from './operations/flow.js'
export type { Operations } from './operations/operations.js'
export type { PlanFilter } from './operations/plan.js'
export type { InspectedQuarantine, ListQuery } from './operations/read-events.js'
export type { Edit, EditOptions } from './operations/replay-edited.js'
export type { BulkRun, RunChangeOptions, RunOptions } from './operations/run-plan.js'
export type { ShapeChange, ShapeOperations } from './operations/shape-changes.js'
export type { UndoOptions } from './operations/undo.js'
export type { VerifiedAgain, VerifyAgainQuery } from './operations/verify-again.js'
export type { CommonOptions, ReceiverOptions } from './options/types.js'
export { type Lifecycle, lifecycle, type Verdict } from './ordering/lifecycle.js'
export {
  type Conflict,
  type Move,
  type OrderRules,
  ordered,
  type ResourceStates,
} from './ordering/ordered.js'
export type { Job, Queue, Worker } from './queue/queue.js'
export {
  createGate,
  createReceiver,
  type Gate,
  type GateOptions,
  type Lifespan,
  type Receiver,
} from './receiver.js'
export type { Logger } from './report/result-log.js'
export type {
  BodyProblem,
  HeaderValue,
  ReadBody,
  ReadTime,
  ReceiveRequest,
  RequestHeaders,
} from './request.js'
export type { Acknowledged, Outcome, ReceiveResult, Unacknowledged } from './result.js'
export type { SignatureScheme } from './signature/scheme.js'
export type { Secrets } from './signature/secrets.js'
export { type SignInput, signPayload } from './signature/sign.js'
export { type Verified, type VerifyInput, verifySignature } from './signature/verify-signature.js'
export type { AppliedEvent, AppliedState, AppliedStates } from './store/applied-events.js'
export type { AuditAction, AuditEntry, AuditLog, AuditQuery, AuditRecord } from './store/audit-log.js'
export type { BulkAction, NewPlan, Plan, PlanQuery } from './store/bulk-plan.js'
export type {
  CanaryOutcome,
  DueAgain,
  LeftAlone,
  NewRun,
  Run,
  RunAct,
  RunState,
  SeenRun,
  SkipReason,
  Step,
} from './store/bulk-run.js'
export type { BulkStore } from './store/bulk-store.js'
export type { CappedCount } from './store/capped-count.js'
export type { Discarded, DiscardPlace, SeenDiscard, UndoPlace } from './store/discarded.js'
export type { Durations, EventRef } from './store/event-ref.js'
export type { FailureGroup, FailureLog, GroupQuery, GroupState, SeenGroup } from './store/failure-log.js'
export { type FailureCause, fingerprintOf } from './store/fingerprint.js'
export type {
  BeatReply,
  BreakerRule,
  Circuit,
  ClaimState,
  FlowStore,
  Holds,
  Limited,
  Pause,
  PauseTarget,
  SeenPause,
  SeenWorker,
  VersionStart,
  WorkerBeat,
} from './store/flow-store.js'
export type {
  AcceptDeadOutcome,
  AcceptOutcome,
  Audit,
  EndpointScope,
  EventFilter,
  FailedAttempt,
  Inbox,
  InboxHealth,
  InboxPage,
  InboxQuery,
  InboxState,
  QuarantinedDelivery,
  QuarantineOutcome,
  QuarantineQuery,
  SeenEvent,
  StoredEvent,
  StoredQuarantine,
} from './store/inbox.js'
export { type Claim, type LeaseStore, leaseStore } from './store/lease.js'
export { isDeliveryKey } from './store/quarantined-delivery.js'
export type { Source, Sources } from './store/sources.js'
export type {
  Latency,
  Statistics,
  StatisticsBucket,
  StatisticsQuery,
  StatisticsStore,
} from './store/statistics-store.js'
export type { OnceOutcome, Store, StoreGuarantee, WorkContext } from './store/store.js'
export { type MemoryStoreOptions, memoryStore } from './stores/memory.js'
export type {
  DeathReport,
  DeliveryReport,
  EventFacts,
  LateSuccessReport,
  Observation,
  RetryReport,
  RunFacts,
  RunReport,
  Storing,
  StoringReport,
  Telemetry,
  TraceIds,
} from './telemetry/telemetry.js'
export type { Retry } from './timing/backoff.js'
