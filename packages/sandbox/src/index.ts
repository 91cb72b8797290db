/**
 * The payments platform on your own machine: it creates wallets, moves money over simulated rails, and sends signed,
 * retried and replayed webhooks.
 *
 * @module
 */
export { createSandbox } from './create-sandbox.js'
export type { DeliveryFilter } from './delivery/find-attempt.js'
export { ReplayError } from './delivery/replay.js'
export { SubscriptionError } from './delivery/subscriptions.js'
export { OptionError } from './options/option-error.js'
export type { Envelope, Product, SandboxOptions } from './options/options.js'
export type { RetrySchedule } from './options/retry-schedule.js'
export type { DeliveryRecord, Duration, NewSubscription, Sandbox } from './sandbox.js'
export type { SeenDelivery } from './sightings.js'
