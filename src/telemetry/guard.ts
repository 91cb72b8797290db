import { catchLater } from '../timing/catch-later.js'
import type { Observation, Storing, Telemetry } from './telemetry.js'

/** A telemetry whose every method is there and cannot fail. */
export type GuardedTelemetry = {
  readonly [Name in keyof Telemetry]-?: (
    ...args: Parameters<NonNullable<Telemetry[Name]>>
  ) => ReturnType<NonNullable<Telemetry[Name]>> | undefined
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

  /** Calls the work once, whatever `within` does. */
  function observed<O extends Observation<never> | Storing>(
    name: string,
    observation: O | undefined,
  ): O | undefined {
    if (typeof observation !== 'object' || observation === null) {
      return undefined
    }
    return {
      ...observation,
      within<T>(work: () => T): T {
        let started: { readonly value: T } | undefined
        const once = () => {
          started ??= { value: work() }
          return started.value
        }
        if (observation.within) {
          call(`${name}.within`, () => void observation.within?.(once))
        }
        return once()
      },
      end: (report: never) => void call(`${name}.end`, () => observation.end?.(report)),
    }
  }

  return {
    delivered: (report) => call('delivered', () => telemetry.delivered?.(report)),
    storing: (event) =>
      observed(
        'storing',
        call('storing', () => telemetry.storing?.(event)),
      ),
    running: (event) =>
      observed(
        'running',
        call('running', () => telemetry.running?.(event)),
      ),
    retried: (report) => call('retried', () => telemetry.retried?.(report)),
    died: (report) => call('died', () => telemetry.died?.(report)),
    watch(health) {
      const end = call('watch', () => telemetry.watch?.(health))
      return () => void call('watch', () => end?.())
    },
    traceIds: () => call('traceIds', () => telemetry.traceIds?.()),
  }
}
