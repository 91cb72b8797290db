import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

interface Program {
  readonly path: string
  /** The last user removes the program. */
  leave(): void
}

let bundled: Promise<string> | undefined
let users = 0

/** Bundles the program of the child processes, once for all concurrent users. */
export async function receiverProgram(): Promise<Program> {
  users++
  bundled ??= bundle()
  const path = await bundled
  return {
    path,
    leave() {
      if (--users > 0) {
        return
      }
      bundled = undefined
      rmSync(dirname(path), { recursive: true, force: true })
    },
  }
}

async function bundle(): Promise<string> {
  // Below node_modules, so that the program finds the clients there.
  const cache = here('../../node_modules/.cache/')
  mkdirSync(cache, { recursive: true })
  const outfile = join(mkdtempSync(join(cache, 'webhook-inbox-chaos-')), 'receiver-process.mjs')
  await build({
    entryPoints: [here('./receiver-process.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    alias: { '#crypto': here('../../src/signature/crypto/node.ts') },
    logLevel: 'error',
  })
  return outfile
}
