import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sandboxFlags } from '../../src/options/sandbox-flags.js'
import { shapeA, startReceiver } from '../rig.js'
import { startProgram, urlOf } from './program.js'

const post = (url: string, body: unknown) =>
  fetch(`${url}/v1/transfers`, {
    method: 'POST',
    headers: { Authorization: 'Bearer sk_sandbox_local', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('the program', () => {
  test('prints its addresses, and a line for each request, attempt and answer', async () => {
    const receiver = await startReceiver()
    const program = startProgram(['--port', '0', '--forward-to', receiver.url, '--settle-after', '10ms'])
    const url = /http:\S+(?=\/v1)/.exec(await program.line(/^sandbox {5}http/))?.[0] as string
    expect(program.stdout[0]).toBe(`sandbox     ${url}/v1            Authorization: Bearer sk_sandbox_local`)
    await program.line(/^inspector {3}http:\S+\/_inspector {4}OpenAPI http:\S+\/openapi\.json$/)
    await program.line(new RegExp(`^delivering  every event -> ${receiver.url}$`))
    await program.line(/^secret {6}export WEBHOOK_SECRET=whsec_local_\S+ +\(the same at every start\)$/)
    const { id } = (await (await post(url, shapeA())).json()) as { id: string }
    expect(await program.line(/POST \/v1\/transfers/)).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  POST /v1/transfers +201  ${id}  sim_settle$`),
    )
    await program.line(/-> transfer\.settled {2}evt_\S+ {2}attempt 1 of 6$/)
    await program.line(/<- 200 +\d+ ms/)
  })

  test('has the same secret at every start with the same seed', async () => {
    const secrets = []
    for (let start = 0; start < 2; start++) {
      const program = startProgram(['--port', '0', '--forward-to', 'http://127.0.0.1:9/'])
      secrets.push(await program.line(/^secret/))
      program.child.kill('SIGTERM')
      await program.exited
    }
    expect(secrets[0]).toBe(secrets[1])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s', async (signal) => {
    const program = startProgram(['--port', '0', '--json'])
    const url = await urlOf(program)
    // A reader of the stream must not hold it up.
    const stream = await fetch(`${url}/_sandbox/stream`)
    program.child.kill(signal)
    expect(await program.exited).toBe(0)
    await stream.text().catch(() => {})
    expect(program.stderr.join('\n')).not.toMatch(/Error/)
  })

  test('with --json prints one object a line on stdout and the rest on stderr', async () => {
    const receiver = await startReceiver(() => 500)
    const program = startProgram([
      '--port',
      '0',
      '--json',
      '--forward-to',
      receiver.url,
      '--settle-after',
      '10ms',
    ])
    await post(await urlOf(program), shapeA())
    await program.line(/"phase":"ended"/)
    const lines = program.stdout.map((line) => JSON.parse(line))
    expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(['started', 'request', 'attempt']))
    expect(lines.find(({ phase }) => phase === 'ended')).toMatchObject({
      number: 1,
      of: 6,
      attempt: { response: { status: 500 } },
    })
    expect(program.stderr[0]).toMatch(/^sandbox {5}http/)
  })

  test.each([
    [['--prot', '1'], "Unknown option '--prot'. Run with --help for the list of flags."],
    [['extra'], "Unexpected argument 'extra'. Run with --help for the list of flags."],
    [['--port', 'x'], '--port must be 0 to 65535'],
    [['--port', '70000'], '--port must be 0 to 65535'],
    [['--seed', '1.5'], '--seed must be a whole number'],
    [['--clock', 'warp'], '--clock must be one of real, virtual'],
    [['--envelope', 'xml'], '--envelope must be one of camel, snake'],
    [['--rate', 'fast'], '--rate must be 1 to 86400'],
    [['--idempotency-conflict', '500'], '--idempotency-conflict must be one of 422, 409, 400'],
    [['--settle-after', 'soon'], '--settle-after must be 0 to 86400 seconds'],
    [['--retry', '1s,x'], "--retry must be 'fast', 'standard', 'none' or up to 100 pauses in seconds"],
    [['--product', 'gold'], '--product must be one of mobile_money, digital_banking, stablecoins'],
    [
      ['--scheme', 'nope'],
      '--scheme must be a name such as t-body-hex or id-t-body-base64, pairs such as content=body,key=base64, or a JSON file',
    ],
    [['--forward-to', 'nowhere'], '--forward-to must be URLs'],
  ])('rejects %j in one line and exits with 2', async (flags, message) => {
    const program = startProgram(flags)
    expect(await program.exited).toBe(2)
    expect(program.stderr).toEqual([`sandbox: ${message}`])
    expect(program.stdout).toEqual([])
  })

  test('says in one line that the port is in use, and exits with 2', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const program = startProgram(['--port', String(port)])
    expect(await program.exited).toBe(2)
    expect(program.stderr).toEqual([
      `sandbox: Port ${port} is in use. Stop its owner, or pass --port 0 for a free one.`,
    ])
  })

  test('says in one line that the state file cannot be used, and exits with 2', async () => {
    const program = startProgram(['--port', '0', '--state', '/nowhere/state.sqlite'])
    expect(await program.exited).toBe(2)
    expect(program.stderr).toHaveLength(1)
    expect(program.stderr[0]).toMatch(/^sandbox: --state cannot be used: /)
  })

  test('lists its flags with --help', async () => {
    const program = startProgram(['--help'])
    expect(await program.exited).toBe(0)
    const text = program.stdout.join('\n')
    for (const flag of [...Object.keys(sandboxFlags), 'json', 'open', 'help']) {
      expect(text).toContain(`  --${flag} `)
    }
  })
})
