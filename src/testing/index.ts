/**
 * The test kit. It signs events as the service does, tampers with them, and delivers them to a receiver or a url. It works
 * with every test runner.
 *
 * @module
 */
export type { Answer } from './answer.js'
export { type ManualClock, manualClock } from './clock.js'
export { type Delivery, deliveryOf, type SignedBody, type SignOptions, testSecret } from './delivery.js'
export { type FixtureData, type FixtureOptions, fixture, type Overrides } from './fixture.js'
export type { InboxCapability } from './inbox-suite/capabilities.js'
export { type InboxStore, type InboxSuiteOptions, inboxSuite } from './inbox-suite.js'
export type { SuiteOptions, TestFunction } from './laws.js'
export { type LeaseSuiteOptions, leaseSuite } from './lease-suite.js'
export {
  type QueueSettings,
  type QueueSuiteOptions,
  type QueueTrial,
  queueSuite,
  type Victim,
} from './queue-suite.js'
export { knownTypes } from './samples.js'
export {
  type SendArguments,
  type TestSender,
  type TestSenderOptions,
  testSender,
} from './sender.js'
export { shuffle } from './shuffle.js'
export { type StoreSuiteOptions, storeSuite } from './store-suite.js'
export { tamper } from './tamper.js'
