import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** One project a part, so that `npx vitest run --project stores` runs that part alone. */
const project = (name: string, seconds: number) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: seconds * 1000,
    hookTimeout: 60_000,
  },
})

export default defineConfig({
  resolve: { alias: { '#crypto': here('./src/crypto/node.ts') } },
  test: {
    projects: [
      project('signature', 30),
      project('event', 30),
      project('dedupe', 30),
      project('dispatch', 30),
      project('receiver', 30),
      project('testing', 60),
      project('stores', 60),
      project('adapters', 60),
      project('examples', 120),
      project('demo', 60),
      project('package', 180),
    ],
  },
})
