import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Bundles the program of the children once for this process; resolves to its path. It is removed at the end. */
export function receiverProgram(): Promise<string> {
  program ??= bundle()
  return program
}

let program: Promise<string> | undefined

async function bundle(): Promise<string> {
  // Below node_modules, so that the program finds the clients there.
  const cache = here('../../node_modules/.cache/')
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'webhook-inbox-chaos-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const outfile = join(directory, 'receiver-process.mjs')
  await build({
    entryPoints: [here('./receiver-process.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    alias: { '#crypto': here('../../src/crypto/node.ts') },
    logLevel: 'error',
  })
  return outfile
}
