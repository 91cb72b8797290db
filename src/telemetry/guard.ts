import { catchLater } from '../catch-later.js'
import type { Observation, Storing, Telemetry, TraceIds } from './telemetry.js'

type Plain = Omit<Telemetry, 'storing' | 'running'>

/** A telemetry whose every method is there and cannot fail. */
export type GuardedTelemetry = {
  readonly [Name in keyof Plain]-?: (
    ...args: Parameters<NonNullable<Plain[Name]>>
  ) => ReturnType<NonNullable<Plain[Name]>> | undefined
} & {
  /** Whether the telemetry has this method now. If not, nothing is gathered for it. */
  wants(name: keyof Telemetry): boolean
  storing(...args: Parameters<NonNullable<Telemetry['storing']>>): GuardedObservation | undefined
  running(...args: Parameters<NonNullable<Telemetry['running']>>): GuardedObservation | undefined
}

/** A user’s `Observation` or `Storing`. Its `within` calls the work exactly once. */
export interface GuardedObservation {
  readonly traceContext: unknown
  within<T>(work: () => T): T
  end(report: unknown): void
}

/** Guards a user's telemetry: `complain` gets the first error of each method, and nothing else notices. */
export function guard(
  telemetry: Telemetry,
  complain: (method: string, error: unknown) => void,
): GuardedTelemetry {
  const failed = new Set<string>()

  function fail(name: string, error: unknown): void {
    if (!failed.has(name)) {
      failed.add(name)
      complain(name, error)
    }
  }

  function call<T>(name: string, work: () => T): T | undefined {
    try {
      const returned = work()
      catchLater(returned, (error) => fail(name, error))
      return returned
    } catch (error) {
      fail(name, error)
      return undefined
    }
  }

  /** `observe` calls the user's method and reads what it returned. */
  function observed(name: string, observe: () => unknown): GuardedObservation | undefined {
    return call(name, () => {
      const observation = observe()
      if (typeof observation !== 'object' || observation === null) {
        return undefined
      }
      const { within, end, traceContext } = observation as Storing & Observation<unknown>
      for (const each of [observation, traceContext]) {
        catchLater(each, (error) => fail(name, error))
      }
      return {
        traceContext,
        within<T>(work: () => T): T {
          let started: { readonly value: T } | undefined
          const once = () => {
            started ??= { value: work() }
            return started.value
          }
          if (within) {
            call(`${name}.within`, () => {
              const returned: unknown = within.call(observation, once)
              // An async method of the user may fail later. The promise of the work itself belongs to its caller.
              return returned === started?.value ? undefined : returned
            })
          }
          return once()
        },
        end: (report: unknown) => void call(`${name}.end`, () => end?.call(observation, report as never)),
      }
    })
  }

  return {
    wants: (name) => call(name, () => telemetry[name] !== undefined) === true,
    delivered: (report) => call('delivered', () => telemetry.delivered?.(report)),
    storing: (event) => observed('storing', () => telemetry.storing?.(event)),
    running: (event) => observed('running', () => telemetry.running?.(event)),
    retried: (report) => call('retried', () => telemetry.retried?.(report)),
    succeededLate: (report) => call('succeededLate', () => telemetry.succeededLate?.(report)),
    died: (report) => call('died', () => telemetry.died?.(report)),
    watch(health) {
      const end = call('watch', () => telemetry.watch?.(health))
      return () => void call('watch', () => end?.())
    },
    traceIds() {
      const ids = call('traceIds', () => telemetry.traceIds?.())
      return call('traceIds', () => readIds(ids))
    },
  }
}

/** A user's method may return anything. What cannot be read is not put on a line of the log. */
function readIds({ traceId, spanId }: Partial<TraceIds> = {}): TraceIds | undefined {
  catchLater([traceId, spanId])
  return typeof traceId === 'string' && typeof spanId === 'string' ? { traceId, spanId } : undefined
}
