import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const lock = join(root, 'node_modules/.build-for-tests')
const halfBuilt = join(root, '.dist-for-tests')

/**
 * Programs that import the package by its name run the code in dist. `npm test` builds it first. A single test that runs
 * after an edit builds it here, once for all concurrent test files.
 */
export async function ensureBuilt(): Promise<void> {
  while (await isStale()) {
    if (!(await take(lock))) {
      await sleep(250)
      continue
    }
    try {
      const tsc = join(root, 'node_modules/@typescript/native/bin/tsc')
      const project = join(root, 'tsconfig.build.json')
      await rm(halfBuilt, { recursive: true, force: true })
      await promisify(execFile)(process.execPath, [tsc, '-p', project, '--noCheck', '--outDir', halfBuilt])
      // Moved only when it is whole, because every file of a half-written build is newer than its source.
      await rm(join(root, 'dist'), { recursive: true, force: true })
      await rename(halfBuilt, join(root, 'dist'))
    } finally {
      await rmdir(lock)
    }
  }
}

/** Age after which a lock is stale, because an interrupted run left it. A build takes seconds. */
const lockSeconds = 120

async function take(folder: string): Promise<boolean> {
  const held = await stat(folder).catch(() => undefined)
  if (held && Date.now() - held.mtimeMs > lockSeconds * 1000) {
    await rmdir(folder).catch(() => {})
  }
  return mkdir(folder).then(
    () => true,
    () => false,
  )
}

async function isStale(): Promise<boolean> {
  const built = await newest([join(root, 'dist')], Math.min)
  return (
    built === undefined ||
    built < ((await newest([join(root, 'src'), join(root, 'adapters')], Math.max)) ?? 0)
  )
}

/** Returns the time of the newest file, or of the oldest with `Math.min`. */
async function newest(folders: string[], pick: typeof Math.max): Promise<number | undefined> {
  let found: number | undefined
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries.filter((each) => each.isFile())) {
      const { mtimeMs } = await stat(join(entry.parentPath, entry.name)).catch(() => ({ mtimeMs: 0 }))
      found = found === undefined ? mtimeMs : pick(found, mtimeMs)
    }
  }
  return found
}
