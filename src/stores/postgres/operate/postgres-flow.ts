import { pauseChanged } from '../../../store/changed.js'
import {
  type FlowStore,
  type Holds,
  kindOf,
  type PauseTarget,
  subjectOf,
  targetOf,
} from '../../../store/flow-store.js'
import type { Audit } from '../../../store/inbox.js'
import { plainReason } from '../../../store/reason.js'
import { withFault } from '../connection/postgres-fault.js'
import { fromText, toText } from '../connection/text.js'
import { type Database, type Query, type Row, shortly } from '../connection/transactions.js'
import { flowStatements } from './flow-statements.js'
import { recordAudit } from './postgres-audits.js'

/** The pauses and circuits, and the processes that run events, by the clock of the server. */
export function postgresFlow(database: Database<unknown>, schema: string): FlowStore {
  const sql = flowStatements(schema)

  const query = (doing: string, text: string, values: readonly unknown[]) =>
    withFault(doing, () => database.query(text, values))

  /** Runs a statement that may wait for a lock of another process, for a limited time. */
  const change = (doing: string, text: string, values: readonly unknown[]) =>
    withFault(doing, () => database.transaction(shortly, (session) => session.query(text, values)))

  /** Resolves to whether anything changed. */
  async function changePause(
    action: 'pause' | 'resume',
    target: PauseTarget,
    audit: Audit,
    change: (run: Query, place: readonly string[]) => Promise<readonly Row[]>,
  ): Promise<boolean> {
    const { endpoint } = target
    const { kind, name } = kindOf(target)
    // In the form of the column of an event.
    const kept = kind === 'resource' ? toText(name) : name
    const subject = subjectOf(target)
    return withFault(action, () =>
      database.transaction(shortly, async ({ query: run }) => {
        if ((await change(run, [endpoint, kind, kept])).length === 0) {
          return false
        }
        await recordAudit(run, schema, { action, endpoint, ...subject, ...audit })
        return true
      }),
    )
  }

  const paused = async (endpoint: string | null) =>
    (await query('list what is paused', sql.paused, [endpoint])).map(toPause)

  return {
    pause: (target, audit) =>
      changePause('pause', target, audit, (run, place) =>
        run(sql.pause, [...place, plainReason(audit.reason), plainReason(audit.actor)]),
      ),

    resume: (target, audit, seen) =>
      changePause('resume', target, audit, async (run, place) => {
        const ended = await run(sql.resume, [...place, seen?.pausedAt ?? null])
        if (ended.length === 0 && seen && (await run(sql.isPaused, place)).length > 0) {
          throw pauseChanged()
        }
        return ended
      }),

    paused: ({ endpoint }) => paused(endpoint ?? null),

    async holds(endpoint) {
      return toHolds(await query('look what is held back', sql.holds, [endpoint]))
    },

    async countFailure(endpoint, type, fingerprint, { failures, retryAfterSeconds }) {
      const values = [endpoint, type, plainReason(fingerprint), failures, retryAfterSeconds]
      const doing = 'count a failure'
      if ((await change(doing, sql.countFailure, values)).length === 0) {
        await change(doing, sql.forgetCircuits, [endpoint])
        await change(doing, sql.countFailure, values)
      }
    },

    async closeCircuit(endpoint, type) {
      const [closed] = await change('close a circuit', sql.closeCircuit, [endpoint, type])
      return closed?.was_open ?? false
    },

    pruneCircuits: async (unusedSeconds) =>
      (await change('prune circuits', sql.pruneCircuits, [unusedSeconds])).length,

    startTrial: async (endpoint, type, seconds) =>
      (await change('start a trial', sql.startTrial, [endpoint, type, seconds])).length > 0,

    async beat({ endpoint, id, process, version, limited }) {
      const values = [endpoint, id, process, version, toText(JSON.stringify(limited))]
      const rows = await query('note a worker', sql.beat, values)
      return { ...toHolds(rows), hasOpenRun: rows[0]?.has_open_run }
    },

    async leave(endpoint, id) {
      await query('forget a worker', sql.leave, [endpoint, id])
    },

    async workers(endpoint, withinSeconds) {
      const rows = await query('list workers', sql.workers, [endpoint, withinSeconds])
      return rows.map(({ started_at, seen_at, silent_seconds, limited, ...worker }) => ({
        ...(worker as Record<'endpoint' | 'id' | 'process' | 'version', string>),
        limited: JSON.parse(fromText(limited)),
        startedAt: started_at,
        seenAt: seen_at,
        silentSeconds: silent_seconds,
      }))
    },

    async versions(endpoint) {
      const rows = await query('list versions', sql.versions, [endpoint])
      return rows.map(({ version, started_at }) => ({ version, startedAt: started_at }))
    },

    async claimOf(key) {
      // A search for due events locks each row briefly.
      for (let tries = 0; tries < 3; tries++) {
        if ((await query('read a claim', sql.free, [toText(key)])).length > 0) {
          return { state: 'free' }
        }
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      const [claim] = await query('read a claim', sql.claim, [toText(key)])
      return claim ? { state: 'running', since: claim.since || undefined } : { state: 'free' }
    },

    async quarantineCode(endpoint, of) {
      const [text, value] =
        'eventId' in of
          ? [sql.quarantineCode('event_id'), of.eventId]
          : [sql.quarantineCode('content_hash'), toText(of.bodyHash)]
      const [found] = await query('look in the quarantine', text, [endpoint, value])
      return found?.code
    },
  }
}

const toPause = ({ endpoint, kind, name, reason, actor, paused_at }: Row) => ({
  ...targetOf(endpoint, kind, kind === 'resource' ? fromText(name) : name),
  reason: reason as string,
  actor: actor as string,
  pausedAt: paused_at as string,
})

const toHolds = (rows: readonly Row[]): Holds => ({
  pauses: rows.filter(({ kind }) => kind !== null).map(toPause),
  circuits: rows.filter(({ type }) => type !== null).map(toCircuit),
})

const toCircuit = ({ type, fingerprint, failures, retry_at, is_on_trial, is_holding }: Row) => ({
  type: type as string,
  fingerprint: fingerprint as string,
  failures: failures as number,
  ...(retry_at !== null && { retryAt: retry_at as string }),
  isOnTrial: is_on_trial as boolean,
  isHolding: is_holding as boolean,
})
