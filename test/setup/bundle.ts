import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A test program that any supported version of Node can run. */
export interface Program {
  readonly path: string
  remove(): void
}

/** Bundles a TypeScript program with the current sources. */
export async function bundle(entry: string): Promise<Program> {
  // Below node_modules, so that the program finds the drivers there.
  const cache = here('../../node_modules/.cache/')
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'webhook-inbox-'))
  const path = join(directory, 'program.mjs')
  await build({
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [
      '@aws-sdk/*',
      'libsql',
      'better-sqlite3',
      'pg',
      'pg-boss',
      'pg-boss11',
      'pg-boss12',
      'bullmq',
      'bullmq5',
      'ioredis',
    ],
    alias: { '#crypto': here('../../src/signature/crypto/node.ts') },
    logLevel: 'error',
  })
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
