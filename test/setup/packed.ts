import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The tarball that would be published. */
    tarball: string
    /** A folder outside the repository, with only the packed package and the peer that it imports installed. */
    consumer: string
    /** The packages that the installation of the packed package alone brought. */
    installedAlone: string[]
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** Packs the build and installs it as a user does, once for all tests of the package. */
export default async function packAndInstall(project: TestProject): Promise<() => Promise<void>> {
  await checkFreshness()
  const folder = await mkdtemp(join(tmpdir(), 'webhook-inbox-'))
  const consumer = join(folder, 'consumer')
  const pack = await npm(root, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)
  const tarball = join(folder, (JSON.parse(pack) as { filename: string }[])[0]?.filename as string)

  await mkdir(consumer)
  await writeFile(join(consumer, 'package.json'), '{ "private": true, "type": "module" }')
  await npm(consumer, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball)
  project.provide('installedAlone', await readdir(join(consumer, 'node_modules')))
  // One subpath imports its peer, which is the user's own.
  await npm(consumer, 'install', '--prefer-offline', '--no-audit', '--no-fund', '@opentelemetry/api@1')

  project.provide('tarball', tarball)
  project.provide('consumer', consumer)
  return () => rm(folder, { recursive: true, force: true })
}

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', args, { cwd, shell: process.platform === 'win32' })
  return stdout
}

/** Fails when the build is older than the source, because its tests would prove nothing. */
async function checkFreshness(): Promise<void> {
  const source = [...(await filesOf(join(root, 'src'))), ...(await filesOf(join(root, 'adapters')))]
  const built = await filesOf(join(root, 'dist')).catch(() => [])
  const oldest = Math.min(...built.map(({ at }) => at))
  const stale = source.filter(({ at }) => !(at <= oldest))
  if (stale.length === 0) {
    return
  }
  throw new Error(`dist is missing or older than ${stale[0]?.path}: npm run build`)
}

async function filesOf(folder: string): Promise<{ path: string; at: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })))
}
