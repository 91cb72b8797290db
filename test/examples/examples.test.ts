import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tamper, testSender } from '../../src/testing/index.js'
import { ensureBuilt, root } from './built.js'
import { expectCleanEnd, expectVerdicts, secret, startExample } from './deliveries.js'
import { start } from './program.js'

beforeAll(ensureBuilt)

describe.each([
  'express.ts',
  'fastify.ts',
  'koa.ts',
  'h3.ts',
  'hono.ts',
  'lambda/local.ts',
  'rotating-secrets.ts',
  'own-events.ts',
  'custom-store/server.ts',
])('examples/%s', (file) => {
  it('receives as it should and closes on SIGTERM', async () => {
    const { program, origin } = await startExample(file)
    await expectVerdicts(`${origin}/webhooks`, program)
    await expectCleanEnd(program)
    expect(program.output()).not.toMatch(secret)
  })

  it('names the missing variable without a secret', async () => {
    const program = start(process.execPath, ['--import', 'tsx', `examples/${file}`], { WEBHOOK_SECRET: '' })
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.output()).toMatch(/^WEBHOOK_SECRET is not set\. Try: /)
  })
})

it('an example starts with each secret that its message suggests', async () => {
  const env = { PORT: '0', WEBHOOK_SECRET: '', TENANT_SECRETS: '' }
  for (const name of ['WEBHOOK_SECRET', 'TENANT_SECRETS'] as const) {
    const program = start(process.execPath, ['--import', 'tsx', 'examples/multi-tenant.ts'], env)
    const [, value] = await program.says(new RegExp(`^${name} is not set\\. Try: ${name}=(\\S+) `))
    env[name] = value as string
  }
  const { program, origin } = await startExample('multi-tenant.ts', env)
  const [, secretOfAcme] = /^acme=(.+?),/.exec(env.TENANT_SECRETS) as RegExpExecArray
  const sender = testSender({ url: `${origin}/webhooks/acme`, secret: secretOfAcme as string })
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'processed' })
  await expectCleanEnd(program)
})

it('examples/next receives as it should and closes on SIGTERM', async () => {
  const next = join(root, 'node_modules/next/dist/bin/next')
  const folder = await mkdtemp(join(tmpdir(), 'next-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = { WEBHOOK_SECRET: secret, NEXT_TELEMETRY_DISABLED: '1', INBOX: join(folder, 'inbox.sqlite') }
  const program = start(process.execPath, [next, 'dev', 'examples/next', '--port', '0'], env)
  // A second try could not start beside it.
  onTestFinished(() => program.end('SIGTERM').then(() => {}))
  const [, origin] = await program.says(/Local: +(http:\/\/localhost:\d+)/)
  await program.says(/Ready in/)
  await expectVerdicts(`${origin}/webhooks`, program, { isQueued: true })
  await expectCleanEnd(program)
  // The route has the receiver that instrumentation.ts has started.
  expect(program.output()).not.toContain('receiver.start() was never called')
})

it.each(['express.ts', 'fastify.ts'])('examples/%s leaves other routes their parser', async (file) => {
  const { program, origin } = await startExample(file)
  const response = await fetch(`${origin}/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{ "a": [1] }',
  })
  expect(await response.json()).toEqual({ a: [1] })
  await expectCleanEnd(program)
})

it('examples/express-middleware.ts runs a route once, and again when it answered 503', async () => {
  const { program, origin } = await startExample('express-middleware.ts')
  const sender = testSender({ url: `${origin}/webhooks`, secret })
  const settled = await sender.send('transfer.settled')
  expect(settled).toMatchObject({ status: 204, outcome: undefined })
  expect(await sender.redeliver(settled)).toMatchObject({ status: 200, outcome: 'duplicate' })

  const failed = await sender.send('transfer.failed')
  expect(failed).toMatchObject({ status: 503, body: '{"error":"the ledger is locked"}' })
  expect(await sender.redeliver(failed)).toMatchObject({ status: 204 })
  expect(await sender.redeliver(failed)).toMatchObject({ status: 200, outcome: 'duplicate' })
  expect(await sender.deliver(tamper.body(failed.delivery))).toMatchObject({ status: 401 })

  await expectCleanEnd(program)
  const lines = program.output().match(/^transfer\..*$/gm)
  expect(lines).toEqual([
    `transfer.settled ${settled.delivery.event.id}`,
    `transfer.failed ${failed.delivery.event.id}`,
  ])
})

it('examples/rotating-secrets.ts takes either secret, and no third', async () => {
  const { program, origin } = await startExample('rotating-secrets.ts', {
    WEBHOOK_SECRET_OLD: 'whsec_old_secret',
  })
  const send = (own: string | string[]) =>
    testSender({ url: `${origin}/webhooks`, secret: own }).send('transfer.settled')
  expect(await send(secret)).toMatchObject({ outcome: 'processed' })
  expect(await send('whsec_old_secret')).toMatchObject({ outcome: 'processed' })
  expect(await send(['whsec_new_secret', 'whsec_old_secret'])).toMatchObject({ outcome: 'processed' })
  expect(await send('whsec_third_secret')).toMatchObject({ status: 401, code: 'signature_mismatch' })
  await expectCleanEnd(program)
})

it('examples/multi-tenant.ts keeps tenants apart: their secrets and their event ids', async () => {
  const env = {
    TENANT_SECRETS: 'acme=whsec_acme_secret_,globex=whsec_globex_secret,globex=whsec_globex_older_secret',
    WEBHOOK_SECRET: 'unused',
  }
  const { program, origin } = await startExample('multi-tenant.ts', env)
  const to = (tenant: string, own: string) => testSender({ url: `${origin}/webhooks/${tenant}`, secret: own })
  const id = 'evt_same'
  expect(await to('acme', 'whsec_acme_secret_').send('transfer.settled', {}, { id })).toMatchObject({
    outcome: 'processed',
  })
  expect(await to('globex', 'whsec_globex_secret').send('transfer.settled', {}, { id })).toMatchObject({
    outcome: 'processed',
  })
  expect(await to('globex', 'whsec_acme_secret_').send('transfer.settled')).toMatchObject({
    code: 'signature_mismatch',
  })
  expect(await to('globex', 'whsec_globex_older_secret').send('transfer.settled')).toMatchObject({
    outcome: 'processed',
  })
  expect(await to('nobody', 'whsec_acme_secret_').send('transfer.settled')).toMatchObject({ status: 404 })
  expect(await to('__proto__', 'whsec_acme_secret_').send('transfer.settled')).toMatchObject({ status: 404 })
  await expectCleanEnd(program)
  expect(program.output()).toMatch(/^acme evt_same$[\s\S]*^globex evt_same$/m)
})

it('examples/own-events.ts runs own events, and rejects what does not fit their schema', async () => {
  interface OwnEvents {
    'policy.changed': { policyId: string; limit: string }
    'evidence.exported': { exportId: string; rows: number }
  }
  const { program, origin } = await startExample('own-events.ts')
  const sender = testSender<OwnEvents>({ url: `${origin}/webhooks`, secret })
  await sender.send(
    'policy.changed',
    { policyId: 'pol_1', limit: '100.00' },
    { representation: 'snake_case' },
  )
  await sender.send('evidence.exported', { exportId: 'exp_1', rows: 3 })
  expect(await sender.send('evidence.exported', { exportId: 'exp_2', rows: 3.5 })).toMatchObject({
    status: 400,
    code: 'invalid_data',
  })
  await expectCleanEnd(program)
  expect(program.output()).toMatch('limit of pol_1: 100.00\nexport exp_1: 3 rows\n')
  expect(program.output()).not.toMatch('exp_2')
})

it('examples/custom-store passes the conformance suite of a store', async () => {
  const program = start(process.execPath, ['--import', 'tsx', '--test', 'examples/custom-store/laws.test.ts'])
  expect(await program.ended, program.output()).toEqual({ code: 0, signal: null })
  expect(Number(/^# pass (\d+)$/m.exec(program.output())?.[1])).toBeGreaterThan(20)
})

it('examples/sandbox-node passes against the sandbox', async () => {
  const file = 'examples/sandbox-node/payments.test.ts'
  const program = start(process.execPath, ['--import', 'tsx', '--test', file])
  expect(await program.ended, program.output()).toEqual({ code: 0, signal: null })
  expect(program.output()).toMatch(/^# pass 2$/m)
})

it('examples/sandbox-vitest passes against the sandbox', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const program = start(process.execPath, [vitest, 'run', '--root', 'examples/sandbox-vitest'])
  expect(await program.ended, program.output()).toEqual({ code: 0, signal: null })
  expect(program.output()).toMatch(/Tests +4 passed \(4\)/)
})

it('examples/README.md lists every example, and every command of it has its file', async () => {
  const readme = await readFile(join(root, 'examples/README.md'), 'utf8')
  const entries = await readdir(join(root, 'examples'), { withFileTypes: true })
  const shared = ['README.md', 'tsconfig.json', 'environment.ts']
  const listed = [...readme.matchAll(/^\| \[([^\]]+?)\/?\]/gm)].map(([, name]) => name)
  expect(listed.sort()).toEqual(
    entries
      .map(({ name }) => name)
      .filter((name) => !shared.includes(name))
      .sort(),
  )
  for (const [, path] of readme.matchAll(/(examples\/[\w./-]+)/g)) {
    await readFileOrFolder(path as string)
  }
})

const readFileOrFolder = (path: string) => readFile(join(root, path)).catch(() => readdir(join(root, path)))
