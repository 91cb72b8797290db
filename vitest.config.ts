import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { leftOut } from './test/setup/left-out.js'

type ProjectConfig = NonNullable<TestProjectInlineConfiguration['test']>

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** One project a part, so that `npx vitest run --project stores` runs that part alone. */
const project = (name: string, seconds: number, rest: Partial<ProjectConfig> = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: seconds * 1000,
    // Some hooks start servers or install packages.
    hookTimeout: Math.max(60, seconds) * 1000,
    // What a test waits for may take longer than the second of the default on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    ...rest,
  },
})

/** The files of a worker share the modules that they load. A file that leaves something behind in its process fails. */
const shared = { isolate: false, setupFiles: [here('./test/setup/nothing-left.ts')] }

/** One replaces a module, the other starts Next.js, which replaces `fetch` and `Date`: both for the whole process. */
const ownProcess = ['test/receiver/web-crypto.test.ts', 'test/adapters/next.test.ts']

/** Threads start faster than processes. Not for tests that use a native driver, signals or the folder of their process. */
const threads = { pool: 'threads' as const }

/** The tests of a workspace stand beside its source. */
const ofPackage = (name: string, seconds: number, rest: Partial<ProjectConfig> = {}) =>
  project(name, seconds, { include: [`packages/${name}/test/**/*.test.ts`], ...rest })

/** These read the source and the documents; the others of their folder need the package packed. */
const ofSource = ['codes', 'gate', 'layers', 'lock', 'mutation', 'release', 'retries', 'workflows'].map(
  (name) => `test/package/${name}.test.ts`,
)

export default defineConfig({
  resolve: { alias: { '#crypto': here('./src/signature/crypto/node.ts') } },
  test: {
    // A machine that stalls for a moment can fail a test that waits for a process. A fault fails it twice.
    retry: process.env.CI ? 1 : 0,
    // Most tests wait for a socket, a server or a child process, and use a core for about a third of their time.
    maxWorkers: 3 * availableParallelism(),
    reporters: [
      'default',
      ...['retried-tests', 'left-out', 'closing-line'].map((name) => here(`./test/setup/${name}.ts`)),
    ],
    projects: [
      project('signature', 30, shared),
      project('event', 30, shared),
      project('store', 30, shared),
      project('dispatch', 30, shared),
      project('ordering', 30, shared),
      project('receiver', 30, { ...shared, exclude: ownProcess }),
      project('own-process', 120, { include: ownProcess }),
      // Each file registers its own OpenTelemetry for the whole process.
      project('telemetries', 60),
      project('testing', 60, { ...shared, ...threads, exclude: leftOut }),
      project('stores', 120, shared),
      project('queues', 120, shared),
      project('adapters', 120, { ...shared, exclude: ownProcess }),
      project('chaos', 180, { exclude: leftOut }),
      project('examples', 180, { exclude: leftOut }),
      project('demo', 180),
      project('docs', 240, threads),
      ...['client', 'diagnose'].map((name) => ofPackage(name, 120, shared)),
      ofPackage('console', 120, shared),
      ofPackage('cli', 120, { exclude: leftOut }),
      ofPackage('sandbox', 180, {
        isolate: false,
        setupFiles: [...shared.setupFiles, here('./packages/sandbox/test/setup/described.ts')],
      }),
      project('source', 30, { include: ofSource }),
      project('package', 180, { exclude: ofSource, globalSetup: here('./test/setup/packed.ts') }),
    ],
  },
})
