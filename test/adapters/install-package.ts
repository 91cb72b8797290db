import { execFile } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Installs the package into `folder`/node_modules as a user does. Compiles it first, so that a test of module resolution
 * cannot pass on an old dist.
 */
export async function installPackage(folder: string): Promise<void> {
  const target = join(folder, 'node_modules/webhook-inbox')
  await mkdir(target, { recursive: true })
  await copyFile(join(root, 'package.json'), join(target, 'package.json'))
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc')
  const options = ['--noCheck', '--declaration', 'false', '--declarationMap', 'false', '--sourceMap', 'false']
  const project = ['-p', join(root, 'tsconfig.build.json'), '--outDir', join(target, 'dist')]
  await promisify(execFile)(process.execPath, [tsc, ...project, ...options])
}
