import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { selectCases } from '../../src/check/select.js'
import { webhookInbox } from '../in-process.js'
import { expectedSignature, ReceiverByHand, type Running, secret, serve } from './receiver-by-hand.js'

class Careless extends ReceiverByHand {
  override verify() {}
}

let folder: string
const running: Running[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await Promise.all(running.splice(0).map(({ close }) => close()))
})

async function start(receiver: ReceiverByHand): Promise<Running> {
  const started = await serve(receiver)
  running.push(started)
  return started
}

const env = { WEBHOOK_SECRET: secret }

describe('webhook-inbox check', () => {
  it('exits with 0 if every case passes, and prints one line for each case', async () => {
    const { url } = await start(new ReceiverByHand())
    const { code, stdout, stderr } = await webhookInbox(['check', url, '--only', 'rejects'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ {2}pass {2}unsigned +a delivery without a signature is rejected$/m)
    expect(stdout).toMatch(/\d+ cases: \d+ passed, 0 failed, 0 warned, 1 skipped/)
  })

  it('exits with 1 where a case fails, and says what was sent, what came back and what to do', async () => {
    const { url } = await start(new Careless())
    const { code, stdout } = await webhookInbox(['check', url, '--only', 'unsigned'], { env })
    expect(code).toBe(1)
    expect(stdout).toContain('FAIL  unsigned')
    expect(stdout).toMatch(/rule +R49: Receivers reject payloads without a signature/)
    expect(stdout).toMatch(/sent +a valid event without the Service-Signature header/)
    expect(stdout).toMatch(/received +200 in \d+ ms: \{"ok":true\}/)
    expect(stdout).toMatch(/why +it was acknowledged/)
    expect(stdout).toMatch(/to do +Answer 401/)
    expect(stdout).toContain('Failed: unsigned')
  })

  it('exits with 0 where a case only warns', async () => {
    class Tight extends ReceiverByHand {
      override toleranceSeconds = 20
    }
    const { url } = await start(new Tight())
    const { code, stdout } = await webhookInbox(['check', url, '--only', 'within-tolerance'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('warn  within-tolerance')
  })

  it('says that a rejection proves nothing if no valid delivery is accepted', async () => {
    class Closed extends ReceiverByHand {
      override isFresh = () => false
    }
    const { url } = await start(new Closed())
    const { code, stdout } = await webhookInbox(['check', url, '--only', 'unsigned', '--only', 'accepts'], {
      env,
    })
    expect(code).toBe(1)
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /Skipped, because no valid delivery is acknowledged \(\d+ cases\): .*unsigned/,
    )
  })

  it('reports a wrong clock of the endpoint', async () => {
    const now = () => Date.now() - 3_600_000
    class Late extends ReceiverByHand {
      override isFresh(t: number) {
        return Math.abs(now() / 1000 - t) <= this.toleranceSeconds
      }
      override answer(...[response, status, body]: Parameters<ReceiverByHand['answer']>) {
        response.setHeader('date', new Date(now()).toUTCString())
        super.answer(response, status, body)
      }
    }
    const { url } = await start(new Late())
    const { stdout } = await webhookInbox(['check', url, '--only', 'valid-camel-case', '--json'], { env })
    const [first = ''] = stdout.split('\n')
    expect(JSON.parse(first).why).toMatch(/^its clock is 3[56]\d\d s behind this one/)
  })

  it('prints one JSON object a line with --json', async () => {
    const { url } = await start(new ReceiverByHand())
    const { stdout } = await webhookInbox(['check', url, '--only', 'bytes', '--json'], { env })
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ id }) => id)).toEqual(selectCases({ only: ['bytes'] }).map(({ id }) => id))
    expect(lines[0]).toMatchObject({ verdict: 'pass', group: 'bytes', rule: 'R51' })
  })

  it('lists every case and sends nothing with --list', async () => {
    const { code, stdout } = await webhookInbox(['check', '--list'], { env: {} })
    expect(code).toBe(0)
    for (const { id } of selectCases()) {
      expect(stdout).toContain(`${id} (`)
    }
  })

  it.each([
    [['check'], 'name the URL to check'],
    [['check', 'http://127.0.0.1:1', '--scheme', 'key=base64'], 'base64'],
    [['check', 'localhost:3000'], 'URL must be an http or https URL'],
    [
      ['check', 'http://127.0.0.1:1', '--only', 'unsinged'],
      'no case or group named unsinged; did you mean unsigned?',
    ],
    [['check', 'http://127.0.0.1:1', '--probe', 'http://127.0.0.1:1'], '--probe must hold {id}'],
    [['check', 'http://127.0.0.1:1', '--header', 'nonsense'], '--header must be a name'],
    [['check', 'http://127.0.0.1:1', '--event', 'no-such-file.json'], 'cannot read no-such-file.json'],
    [
      ['check', 'http://127.0.0.1:1', '--junit', '/no-such-folder/x.xml'],
      'cannot write /no-such-folder/x.xml',
    ],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await webhookInbox(args, { env })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })

  it('sends the event of --event and the headers of --header', async () => {
    const seen = new Set<string>()
    class Watching extends ReceiverByHand {
      override parse(body: Buffer) {
        const event = super.parse(body)
        seen.add(`${event.type} ${event.data.account}`)
        return event
      }
      override admit(request: Parameters<ReceiverByHand['admit']>[0]) {
        if (request.headers['x-gateway'] !== 'key') {
          throw new Error('no key')
        }
        super.admit(request)
      }
    }
    const { url } = await start(new Watching())
    const file = join(folder, 'event.json')
    const event = {
      id: 'evt_1',
      type: 'account.opened',
      createdAt: '2026-01-01T00:00:00Z',
      data: { account: 'acc_7' },
    }
    await writeFile(file, JSON.stringify(event))
    const options = ['--event', file, '--header', 'X-Gateway: key', '--only', 'valid-camel-case']
    const { code } = await webhookInbox(['check', url, ...options], { env })
    expect([code, [...seen]]).toEqual([0, ['account.opened acc_7']])
  })

  it('writes JUnit that a strict parser reads, whatever the endpoint answers', async () => {
    class Odd extends Careless {
      override answer(response: Parameters<ReceiverByHand['answer']>[0], status: number) {
        response
          .writeHead(status)
          .end('\u0000\u0007\u001b[31m"quoted" <tag> & \'more\' ]]> \ufffe\ud83d\ude00')
      }
    }
    const { url } = await start(new Odd())
    const file = join(folder, 'check.xml')
    await webhookInbox(['check', url, '--only', 'rejects', '--skip', 'repeated-header', '--junit', file], {
      env,
    })
    const { names, failures, text } = parseJunit(await readFile(file, 'utf8'))
    const expected = selectCases({ only: ['rejects'], skip: ['repeated-header'] }).map(({ id }) => id)
    expect(names.map((name) => name.split(':')[0])).toEqual(expected)
    // This receiver rejects another id in the header; the case of the sandbox is skipped.
    expect(failures).toBe(expected.length - 2)
    expect(text).toContain('"quoted" <tag> & \'more\' ]]>')
  })

  it('prints no secret and no expected signature, even where a response holds both', async () => {
    class Leaky extends ReceiverByHand {
      override fail(request: never, response: never, error: unknown) {
        super.fail(
          request,
          response,
          // With 500 the cases fail, so that the reports show the answers.
          Object.assign(error as Error, { status: 500, message: `${secret} ${this.expected}` }),
        )
      }
      expected = ''
      override isSigned(header: { t: string; v1: readonly string[] }, body: Buffer) {
        this.expected = expectedSignature(header.t, body)
        return super.isSigned(header, body)
      }
    }
    const { url } = await start(new Leaky())
    const file = join(folder, 'check.xml')
    const args = ['check', url, '--only', 'rejects', '--only', 'answers', '--junit', file]
    const { stdout, stderr } = await webhookInbox(args, { env })
    const report = await readFile(file, 'utf8')
    const printed = stdout + stderr + report
    expect(stdout).toMatch(/Failed: .*leaks-secret, leaks-signature/)
    for (const text of [stdout, report]) {
      expect(text).toMatch(/\[hidden\]\s+\[hidden\]/)
    }
    expect(printed).not.toContain(secret)
    expect(printed).not.toMatch(/[0-9a-f]{64}/)
  })
})

function parseJunit(xml: string) {
  const names: string[] = []
  let failures = 0
  let text = ''
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testcase') {
      names.push(String(attributes.name))
    }
    if (name === 'failure') {
      failures++
    }
  })
  parser.on('text', (part) => {
    text += part
  })
  parser.write(xml).close()
  return { names, failures, text }
}
