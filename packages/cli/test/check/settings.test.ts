import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectCases } from '../../src/check/select.js'
import { webhookInbox } from '../in-process.js'
import { http } from '../servers.js'
import { secret } from './receiver-by-hand.js'

let folder: string
const file = (name: string) => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-'))
  await writeFile(file('old'), 'whsec_old_secret\n')
})
afterAll(() => rm(folder, { recursive: true }))

const env = { WEBHOOK_SECRET: secret }
const check = (args: readonly string[], given: Record<string, string> = env) =>
  webhookInbox(['check', ...args], { env: given })

/** A receiver that answers with what a request is like. */
const echo = (
  answer: (text: string, headers: NodeJS.Dict<string | string[]>) => [status: number, body?: string],
) =>
  http(async (request, response) => {
    const text = Buffer.concat(await request.toArray().catch(() => [])).toString()
    const [status, body = ''] = answer(text, request.headers)
    response.writeHead(status).end(body)
  })

describe('check --list', () => {
  it('prints each case and what it sends, and needs no secret', async () => {
    const { code, stdout, stderr } = await check(['--list', '--only', 'https', '--only', 'answers'], {})
    const lines = selectCases({ only: ['https', 'answers'] }).flatMap(({ id, group, title, sends }) => [
      `${id} (${group}): ${title}`,
      `    sends ${sends}`,
    ])
    expect([code, stderr, stdout]).toEqual([0, '', `${lines.join('\n')}\n`])
  })

  it('prints JSON lines', async () => {
    const { stdout } = await check(['--list', '--json', '--only', 'rejects', '--skip', 'unsigned'], {})
    const cases = selectCases({ only: ['rejects'], skip: ['unsigned'] })
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(
      cases.map(({ id, group, title, rule, sends, needs }) => ({
        id,
        group,
        title,
        rule,
        sends,
        ...(needs && { needs }),
      })),
    )
  })

  it('prints names in bold on a terminal', async () => {
    const { stdout } = await webhookInbox(['check', '--list', '--only', 'https'], { columns: 80 })
    expect(stdout.startsWith('\u001b[1mhttps\u001b[22m (connections): ')).toBe(true)
  })
})

describe('check rejects', () => {
  const url = 'http://127.0.0.1:9/'
  it.each<[string[], string]>([
    [[], 'name the URL to check, or print the cases with --list'],
    [['x'], 'URL must be an http or https URL, such as http://127.0.0.1:3000/webhooks'],
    [[url, '--only', 'unsinged'], 'there is no case or group named unsinged; did you mean unsigned?'],
    [[url, '--skip', 'zzzzzz'], 'there is no case or group named zzzzzz'],
    [
      [url, '--only', 'https,bytes'],
      'there is no case or group named https,bytes; repeat the option for each',
    ],
    [[url, '--probe', 'http://x/'], '--probe must hold {id}, which becomes the event id'],
    [
      [url, '--probe', '{id}'],
      '--probe must be an http or https URL, such as http://127.0.0.1:3000/webhooks',
    ],
    [[url, '--old-secret-file', 'none'], 'cannot read none: there is no such file'],
    [[url, '--tolerance', 'x'], '--tolerance must be a duration such as 90s, 15m, 2h or 7d'],
    [[url, '--timeout', '0'], '--timeout must be more than 0, and at most a day'],
    [[url, '--header', 'x'], '--header must be a name, a colon and a value in ASCII'],
    [[url, '--event', 'none'], 'cannot read none: there is no such file'],
    [[url, '--junit', '/none/x.xml'], 'cannot write /none/x.xml: ENOENT'],
    [[url, '--envelope', 'both,camel'], '--envelope must be one of both, camel, snake'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await check(args)
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `webhook-inbox: ${message}\nSee webhook-inbox check --help.\n`,
    ])
  })

  it('a secret that the scheme cannot use, the old one too', async () => {
    const { code, stderr } = await check([url, '--scheme', 'key=base64'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^webhook-inbox: invalid_secret: /)])
    const key = { WEBHOOK_SECRET: Buffer.alloc(24, 7).toString('base64') }
    const old = await check([url, '--scheme', 'key=base64', '--old-secret-file', file('old')], key)
    expect([old.code, old.stderr]).toEqual([2, expect.stringMatching(/^webhook-inbox: invalid_secret: /)])
    const idSigned = await check([url, '--scheme', 'content=id.timestamp.body'])
    expect([idSigned.code, idSigned.stderr]).toEqual([3, expect.stringContaining('nothing listens')])
  })
})

describe('check passes on', () => {
  it('the headers, the production, the tolerance and the envelope', async () => {
    const url = await echo((text, headers) => {
      const isMine = headers['x-key'] === 'k' && text.includes('"production"') && text.includes('created_at')
      return [isMine ? 200 : 400]
    })
    const given = ['--header', 'X-Key: k', '--production', '--envelope', 'snake', '--tolerance', '100s']
    const { code, stdout } = await check([
      url,
      ...given,
      '--only',
      'within-tolerance',
      '--only',
      'valid-snake-case',
      '--json',
    ])
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, results]).toEqual([
      0,
      [
        expect.objectContaining({ id: 'valid-snake-case', verdict: 'pass' }),
        expect.objectContaining({
          id: 'within-tolerance',
          received: expect.stringMatching(/^50 s ago: 200 in/),
        }),
      ],
    ])
    expect(stdout).not.toContain('cases:')
  })

  it('the timeout', async () => {
    const url = await http(() => {})
    const { code, stderr } = await check([url, '--timeout', '0.2s'])
    expect([code, stderr]).toEqual([3, 'webhook-inbox: no response within 0.2 s\n'])
  })

  it('the old secret, which it hides', async () => {
    const url = await echo((_, headers) => [200, `whsec_old_secret ${headers['user-agent']}`])
    const { stdout } = await check([
      url,
      '--old-secret-file',
      file('old'),
      '--only',
      'rotated-secret',
      '--only',
      'leaks-secret',
    ])
    expect(stdout).toContain('pass  rotated-secret')
    expect(stdout).toContain('FAIL  leaks-secret')
    expect(stdout).not.toContain('whsec_old_secret')
    const hidden = await check([
      'http://127.0.0.1:9/whsec_old_secret',
      '--old-secret-file',
      file('old'),
      '--junit',
      '/none/whsec_old_secret',
    ])
    expect(hidden.stderr).toContain('cannot write /none/[secret]')
  })

  it('--slow', async () => {
    const url = await echo(() => [200])
    const only = ['--only', 'during-work', '--json']
    expect(JSON.parse((await check([url, ...only])).stdout).why).toContain('--slow')
    expect(JSON.parse((await check([url, ...only, '--slow'])).stdout).why).not.toContain('--slow')
  })
})
