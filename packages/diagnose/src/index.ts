/**
 * Explains why a webhook signature does not verify: as data, and in plain words. Runs in Node and in browsers.
 *
 * @module
 */
export { type CauseCode, causes } from './causes.js'
export { diagnose } from './diagnose.js'
export type {
  CapturedDelivery,
  Cause,
  DiagnoseInput,
  Diagnosis,
  ExplainedBody,
  ExplainedHeader,
  HeaderPart,
  NamedSecret,
  RefusalCode,
  SearchReport,
} from './diagnosis.js'
export { type DiscoveredScheme, type DiscoverInput, discoverScheme } from './discover.js'
export { schemeLine } from './scheme-line.js'
