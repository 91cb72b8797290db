import { join } from 'node:path'
import { fetchPackage } from './fetch-package.js'

/** The npm registry has each release of Node as one package per platform. */
const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`
const runtime = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`

/** Returns the binary of a release. Downloads it once per clone. */
export async function fetchNode(release: string): Promise<string> {
  const modules = await fetchPackage(runtime, release)
  return join(modules, runtime, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node')
}
