import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runSandbox } from '../../src/program/run.js'
import { shapeA, startReceiver } from '../rig.js'

/** The program in this process, on streams of its own. Ended with the test. */
function started(args: readonly string[], { isTTY = false } = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const texts = { stdout: '', stderr: '' }
  stdout.on('data', (chunk: Buffer) => {
    texts.stdout += chunk
  })
  stderr.on('data', (chunk: Buffer) => {
    texts.stderr += chunk
  })
  let end = () => {}
  const ending = new Promise<void>((resolve) => {
    end = resolve
  })
  const exited = runSandbox(args, {
    stdout: Object.assign(stdout, { isTTY }),
    stderr,
    ended: () => ending,
  })
  onTestFinished(async () => {
    end()
    await exited
  })
  return { texts, end, exited }
}

const urlIn = (banner: string) => /http:\S+(?=\/v1)/.exec(banner)?.[0] as string

const post = (url: string) =>
  fetch(`${url}/v1/transfers`, {
    method: 'POST',
    headers: { Authorization: 'Bearer sk_sandbox_local', 'Content-Type': 'application/json' },
    body: JSON.stringify(shapeA()),
  })

describe('the program', () => {
  test('serves until it is asked to end, and then frees its port', async () => {
    const { texts, end, exited } = started(['--port', '0'])
    await vi.waitFor(() => expect(texts.stdout).toMatch(/^delivering.*\n\n$/m))
    const url = urlIn(texts.stdout)
    expect((await post(url)).status).toBe(201)
    end()
    expect(await exited).toBe(0)
    await expect(post(url)).rejects.toThrow()
    expect(texts.stderr).toBe('')
  })

  test.each([
    ['on a terminal', true, undefined, true],
    ['on a terminal with NO_COLOR', true, '1', false],
    ['in a pipe', false, undefined, false],
  ])('prints a line for each request and attempt %s', async (_, isTTY, noColor, isColored) => {
    vi.stubEnv('NO_COLOR', noColor)
    // Node.js itself leaves out colors if the stdout of the tests is no terminal.
    vi.stubEnv('FORCE_COLOR', '1')
    onTestFinished(() => void vi.unstubAllEnvs())
    const receiver = await startReceiver()
    const args = ['--port', '0', '--forward-to', receiver.url, '--settle-after', '1ms']
    const { texts } = started(args, { isTTY })
    await vi.waitFor(() => expect(texts.stdout).toContain('/v1'))
    await post(urlIn(texts.stdout))
    await vi.waitFor(() => expect(texts.stdout).toMatch(/<- \S+ +\d+ ms/))
    expect(texts.stdout).toContain('  POST /v1/transfers  ')
    expect(texts.stdout).toContain('  -> transfer.settled  evt_')
    expect(texts.stdout.includes('\u001b[')).toBe(isColored)
  })

  test('with --json prints records to stdout and the banner to stderr, with no secret of the user', async () => {
    const receiver = await startReceiver()
    const flags = ['--port', '0', '--json', '--forward-to', receiver.url, '--settle-after', '1ms']
    const { texts } = started(flags)
    const records = () =>
      texts.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    await vi.waitFor(() => expect(texts.stdout).toContain('"started"'))
    const [{ type, url, forwarding }] = records()
    expect(type).toBe('started')
    expect(forwarding).toEqual([
      { id: expect.any(String), url: receiver.url, secret: expect.stringMatching(/^whsec_local_/) },
    ])
    expect(texts.stderr).toMatch(/^sandbox {5}http/)
    await post(url)
    await vi.waitFor(() => expect(texts.stdout).toContain('"phase":"ended"'))
    expect(records()).toContainEqual(expect.objectContaining({ type: 'request', status: 201 }))
    const attempts = records().filter((record) => record.type === 'attempt')
    const [start] = attempts
    expect(start).toMatchObject({ phase: 'started', number: 1, of: 6, delivery: { attempts: 0 } })
    expect(start).not.toHaveProperty('attempt')
    expect(attempts.find(({ phase }) => phase === 'ended')).toMatchObject({
      delivery: { eventId: start.delivery.eventId },
      attempt: { response: { status: 200 } },
    })

    const own = started([...flags, '--secret', 'whsec_mine'])
    await vi.waitFor(() => expect(own.texts.stdout).toContain('"started"'))
    expect(JSON.parse(own.texts.stdout).forwarding).toEqual([{ id: expect.any(String), url: receiver.url }])
  })

  test('prints its flags with --help and with -h', async () => {
    for (const flag of ['--help', '-h']) {
      const { texts, exited } = started([flag])
      expect(await exited).toBe(0)
      const lines = texts.stdout.split('\n')
      expect(lines[0]).toBe('Starts the payments platform on your own machine.')
      expect(lines).toContainEqual(
        expect.stringMatching(/^ {2}--port N +The port to listen on; 0 takes a free one. Default: 4010$/),
      )
      expect(lines).toContainEqual(
        expect.stringMatching(
          /^ {2}--forward-to URL +Deliver every event to this receiver \(may be repeated\)$/,
        ),
      )
      expect(lines).toContainEqual(
        expect.stringMatching(/^ {2}--clock KIND +\S.*\. Default: real \(one of real, virtual\)$/),
      )
      expect(lines).toContainEqual(expect.stringMatching(/^ {2}--json {2,}One JSON object a line on stdout$/))
      const columns = lines.flatMap(
        (line) => /^ {2}--\S+(?: [A-Z]\S*)? {2,}(?=\S)/.exec(line)?.[0].length ?? [],
      )
      expect(columns.length).toBeGreaterThan(20)
      expect(new Set(columns).size).toBe(1)
    }
  })

  test.each([
    [['--prot', '1'], "Unknown option '--prot'. Run with --help for the list of flags."],
    [['extra'], "Unexpected argument 'extra'. Run with --help for the list of flags."],
    [['--port', '70000'], '--port must be 0 to 65535'],
    [['--clock', 'warp'], '--clock must be one of real, virtual'],
    [['--settle-after', 'soon'], '--settle-after must be 0 to 86400 seconds'],
    [['--port', '0', '--host', '203.0.113.9'], 'The --host is no address of this machine.'],
    [['--port', '0', '--host', 'nowhere.invalid'], 'The --host is no address of this machine.'],
  ])('rejects %j in one line and exits with 2', async (args, message) => {
    const { texts, exited } = started(args)
    expect(await exited).toBe(2)
    expect(texts).toEqual({ stdout: '', stderr: `sandbox: ${message}\n` })
  })

  test('exits with 2 if its port or its state file cannot be used', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const taken = started(['--port', String(port)])
    expect(await taken.exited).toBe(2)
    expect(taken.texts.stderr).toBe(
      `sandbox: Port ${port} is in use. Stop its owner, or pass --port 0 for a free one.\n`,
    )
    const unusable = started(['--port', '0', '--state', '/nowhere/state.sqlite'])
    expect(await unusable.exited).toBe(2)
    expect(unusable.texts.stderr).toMatch(/^sandbox: --state cannot be used: .+\n$/)
  })
})
