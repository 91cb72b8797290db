import { pathToFileURL } from 'node:url'

/** The built package of a directory. The bench compares two versions of it, so nothing is imported by name. */
export function libraryIn(directory: string) {
  const load = (path: string): Promise<unknown> =>
    import(pathToFileURL(`${directory}/dist/src/${path}.js`).href)
  return {
    root: () => load('index') as Promise<typeof import('webhook-inbox')>,
    localQueue: () => load('queues/local') as Promise<typeof import('webhook-inbox/queues/local')>,
    sqlite: () => load('stores/sqlite') as Promise<typeof import('webhook-inbox/stores/sqlite')>,
    postgres: () => load('stores/postgres') as Promise<typeof import('webhook-inbox/stores/postgres')>,
    openTelemetry: () =>
      load('telemetries/opentelemetry') as Promise<typeof import('webhook-inbox/opentelemetry')>,
    diagnosticsChannel: () =>
      load('telemetries/diagnostics-channel') as Promise<typeof import('webhook-inbox/diagnostics-channel')>,
    express: (): Promise<typeof import('webhook-inbox/express')> =>
      import(pathToFileURL(`${directory}/dist/adapters/express.js`).href),
  }
}

export type Library = ReturnType<typeof libraryIn>
