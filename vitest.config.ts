import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: { alias: { '#crypto': here('./src/crypto/node.ts') } },
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/{signature,event,dedupe,dispatch,stores,testing}/**/*.test.ts', 'test/*.test.ts'] } },
    ],
  },
})
