import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tamper, testSender } from '../../src/testing/index.js'
import { ensureBuilt, root } from './built.js'
import { expectCleanEnd, secret, startExample } from './deliveries.js'

const run = promisify(execFile)
const folder = join(root, 'examples/observability')
const read = (name: string) => readFile(join(folder, name), 'utf8')
/** Every name that an expression can take for one of our metrics. Labels stand in braces or after `by`. */
const metricsIn = (text: string) =>
  new Set(
    text
      .replace(/\{[^}]*\}|by \([^)]*\)/g, '')
      .match(/\b(?:webhook_inbox|messaging)_\w+/g)
      ?.filter((name) => name !== 'webhook_inbox_endpoint'),
  )

let data: string
let exported: string
beforeAll(async () => {
  await ensureBuilt()
  data = await mkdtemp(join(tmpdir(), 'webhook-inbox-observed-'))
  exported = await runExample()
}, 120_000)
afterAll(() => rm(data, { recursive: true, force: true }))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Sends one delivery of each kind, and resolves to what Prometheus reads then. */
async function runExample(): Promise<string> {
  const port = await freePort()
  const env = { METRICS_PORT: String(port), DATABASE: join(data, 'inbox.sqlite') }
  const { program, origin } = await startExample('observability/receiver.ts', env)
  const sender = testSender({ url: `${origin}/webhooks`, secret })
  const settled = await sender.send('transfer.settled')
  expect(await sender.redeliver(settled)).toMatchObject({ outcome: 'duplicate' })
  await sender.send('transfer.failed')
  await sender.deliver(tamper.body(await sender.prepare('transfer.settled')))
  await program.says(/is dead: no attempt is left/)
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await expectCleanEnd(program)
  for (const name of ['send default', 'process default', 'settle default']) {
    expect(program.output()).toContain(`name: '${name}'`)
  }
  return metrics
}

it('examples/observability: Prometheus reads what became of the deliveries', () => {
  const value = (pattern: RegExp) => Number(pattern.exec(exported)?.[1])
  expect(value(/deliveries_total\{[^}]*outcome="accepted"[^}]*settled[^}]*\} (\d+)/)).toBe(1)
  expect(value(/deliveries_total\{[^}]*outcome="duplicate"[^}]*\} (\d+)/)).toBe(1)
  expect(value(/deliveries_total\{[^}]*code="signature_mismatch"[^}]*\} (\d+)/)).toBe(1)
  expect(value(/retries_total\{[^}]*\} (\d+)/)).toBe(1)
  expect(value(/events_dead\{[^}]*\} (\d+)/)).toBe(1)
})

it('examples/observability: the dashboard and the alerts use only metrics that are exported', async () => {
  const names = metricsIn(exported)
  const { panels } = JSON.parse(await read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const used = metricsIn([...queries, await read('alerts.yml')].join('\n'))
  expect(used.size).toBeGreaterThan(10)
  expect([...used].filter((name) => !names.has(name))).toEqual([])
})

it('examples/observability: the dashboard uses only labels that are exported', async () => {
  const exportedLabels = new Set(exported.match(/\b(?:webhook_inbox_\w+|le)(?==")/g))
  const dashboard = await read('dashboard.json')
  const lists = [...dashboard.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => (list as string).split(', '))
  expect(lists.length).toBeGreaterThan(8)
  expect(lists.filter((label) => !exportedLabels.has(label))).toEqual([])
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) {
  console.log('the alerts of examples/observability are not tested: promtool is not installed')
}

it.skipIf(!hasPromtool)(
  'examples/observability: each alert fires when it must, and not beside it',
  async () => {
    await run('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder })
    const { stdout, stderr } = await run('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: folder })
    expect(`${stdout}${stderr}`).toContain('SUCCESS')
    const tested = await read('alerts.test.yml')
    const alerts = [...(await read('alerts.yml')).matchAll(/alert: (\w+)/g)].map(([, name]) => name)
    expect(alerts).toHaveLength(6)
    expect(alerts.filter((name) => !tested.includes(`alertname: ${name}\n`))).toEqual([])
  },
)
