import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchPackage } from '../../setup/fetch-package.js'

/** One exact release of each runtime, so that a run can be repeated. */
const runtimes = {
  Bun: { name: 'bun', release: '1.4.5', scope: '@oven', binary: 'bin/bun', args: [] },
  Deno: { name: 'deno', release: '2.9.6', scope: '@deno', binary: 'deno', args: ['run', '--allow-all'] },
  workerd: {
    name: 'workerd',
    release: '1.20261117.1',
    scope: '@cloudflare',
    binary: 'bin/workerd',
    args: ['serve'],
  },
} as const

/** The command line of a runtime, up to the program. Downloads the runtime once per clone. */
export async function fetchRuntime(runtime: keyof typeof runtimes): Promise<readonly [string, ...string[]]> {
  const { name, release, scope, binary, args } = runtimes[runtime]
  const modules = await fetchPackage(name, release)
  // npm installs the one package that fits this platform.
  const [platform] = await readdir(join(modules, scope))
  return [join(modules, scope, platform as string, binary), ...args]
}
