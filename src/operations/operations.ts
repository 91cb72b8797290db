import type { FlowGate } from '../flow/flow-gate.js'
import type { Settings } from '../options/settings.js'
import { type AuditOperations, auditOperations } from './audits.js'
import { type ChangeOperations, changeOperations } from './change-events.js'
import { type ExplainOperations, explainOperations } from './explain.js'
import { type FailureOperations, failureOperations } from './failures.js'
import { type FlowOperations, flowOperations } from './flow.js'
import { type PlanOperations, planOperations } from './plan.js'
import { type ReadOperations, readOperations } from './read-events.js'
import { type EditOperations, editOperations } from './replay-edited.js'
import { type RunOperations, runOperations } from './run-plan.js'
import { type ShapeOperations, shapeOperations } from './shape-changes.js'
import { type StatisticsOperations, statisticsOperations } from './statistics.js'
import { type UndoOperations, undoOperations } from './undo.js'
import { type VerifyOperations, verifyOperations } from './verify-again.js'

/** Plans of many changes, their runs, and undo. */
export interface BulkOperations
  extends PlanOperations,
    RunOperations,
    UndoOperations,
    EditOperations,
    VerifyOperations {}

/**
 * The operations of an operator on an inbox. They check no permissions, and events contain customers’ data. Authorize
 * the caller first. Each except `prune` rejects with `ConfigurationError` `invalid_store` on a store without an inbox. Each
 * rejects with `invalid_option` or `unknown_option` for an argument that it cannot use.
 */
export interface Operations
  extends ReadOperations,
    ChangeOperations,
    AuditOperations,
    BulkOperations,
    StatisticsOperations,
    FlowOperations,
    ExplainOperations,
    FailureOperations,
    ShapeOperations {}

/** `wake` is called when there is a bulk run to apply. */
export const operations = (settings: Settings, gate: FlowGate, wake: () => void): Operations => ({
  ...readOperations(settings),
  ...changeOperations(settings),
  ...auditOperations(settings),
  ...planOperations(settings),
  ...runOperations(settings, wake),
  ...undoOperations(settings),
  ...statisticsOperations(settings),
  ...flowOperations(settings, gate),
  ...explainOperations(settings, gate),
  ...editOperations(settings),
  ...verifyOperations(settings),
  ...failureOperations(settings),
  ...shapeOperations(settings),
})
