import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchNode } from '../../../test/setup/fetch-node.js'
import { builtProgram } from './built.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
/** The newest supported line. `LONG=1` adds the others. */
const releases = process.env.LONG ? ['20.19.0', '22.23.3', '24.21.0', '26.10.0'] : ['26.10.0']
if (!process.env.LONG) {
  console.log('the packed command line is left out on Node 20.19.0, 22.23.3 and 24.21.0: set LONG=1')
}
const packages = [
  '.',
  'packages/client',
  'packages/diagnose',
  'packages/sandbox',
  'packages/console',
  'packages/cli',
]
const isWindows = process.platform === 'win32'

let folder: string

/** What a new user does: an empty folder, the packages as they would be published, and npx. */
beforeAll(async () => {
  await builtProgram()
  folder = await mkdtemp(join(tmpdir(), 'webhook-inbox-cli-'))
  const packed = join(folder, 'packed')
  await mkdir(packed)
  for (const each of packages) {
    await npm(join(root, each), 'pack', '--ignore-scripts', '--pack-destination', packed)
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const tarballs = await readdir(packed)
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline']
  await npm(folder, 'install', ...quiet, ...tarballs.map((name) => join(packed, name)))
  await writeFile(join(folder, 'receiver.ts'), receiver)
  await writeFile(join(folder, 'program.mjs'), program)
}, 180_000)
afterAll(() => rm(folder, { recursive: true }))

/** What the README tells a new user to type. */
const [, firstRun = ''] =
  /## A first run[^`]*```sh\n(.*?)```/s.exec(readFileSync(join(root, 'packages/cli/README.md'), 'utf8')) ?? []

const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, shell: isWindows })

const receiver = `
import { createReceiver } from 'webhook-inbox'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
enum Endpoint { Payments = 'payments' }
export const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET!,
  endpoint: Endpoint.Payments,
  store: sqliteStore('inbox.db'),
  fallback() {},
})
`

/** The command line never makes a file of SQLite, so a program has to have run in the folder. */
const program = `
import { createReceiver } from 'webhook-inbox'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET,
  endpoint: 'payments',
  store: sqliteStore('inbox.db'),
  fallback() {},
})
await receiver.start()
await receiver.stop()
`

describe('installed from its tarballs into an empty folder', () => {
  it.each(releases)(
    'works through npx on Node %s',
    async (release) => {
      const node = await fetchNode(release)
      const env = {
        ...process.env,
        PATH: [dirname(node), process.env.PATH].join(delimiter),
        WEBHOOK_SECRET: 'whsec_of_a_new_user',
        npm_config_loglevel: 'error',
      }
      const npx = (...args: string[]) =>
        run('npx', ['--no-install', 'webhook-inbox', ...args], { cwd: folder, env, shell: isWindows })

      if (!isWindows) {
        const { stdout } = await run('sh', ['-e', '-c', firstRun], { cwd: folder, env })
        expect(stdout).toMatch(/^yes\n/)
      }
      expect((await npx('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
      await writeFile(join(folder, 'body.json'), '{"id":"evt_1"}')
      await writeFile(join(folder, 'headers'), (await npx('sign', 'body.json')).stdout)
      expect((await npx('verify', '--body', 'body.json', '--headers', 'headers')).stdout).toMatch(/^yes\n/)
      await writeFile(join(folder, 'changed.json'), '{ "id": "evt_1" }\n')
      const refused = npx('verify', '--body', 'changed.json', '--headers', 'headers')
      await expect(refused).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringContaining('body_reformatted'),
      })
      await run(node, ['program.mjs'], { cwd: folder, env })
      const { stdout } = await npx('inbox', 'health', '--json', '--receiver', 'receiver.ts')
      expect(JSON.parse(stdout).counts).toMatchObject({ dead: 0 })

      const commands = join(folder, 'node_modules/webhook-inbox-cli/dist/main.js')
      const sandbox = spawn(node, [commands, 'sandbox', '--port', '0', '--json'], { cwd: folder, env })
      try {
        const [line] = await once(sandbox.stdout, 'data')
        const { url } = JSON.parse(String(line).split('\n')[0] as string)
        expect((await npx('sandbox', 'emit', 'transfer.settled', '--url', url)).stdout).toMatch(/^evt_/)
      } finally {
        sandbox.kill('SIGTERM')
      }
      expect(await once(sandbox, 'exit')).toEqual([0, null])
    },
    120_000,
  )
})
