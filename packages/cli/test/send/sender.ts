import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Setting, webhookInbox } from '../in-process.js'
import { http } from '../servers.js'

export const env = { WEBHOOK_SECRET: 'whsec_of_the_send_tests' }
let folder: string
/** Each file calls it, because the mutation tester loads this module once for several runs of a file. */
export function useFolder(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'send-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
}
/** Saves a file and resolves to its path. */
export const save = async (name: string, content: string | Uint8Array) => {
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

export interface Received {
  readonly body: string
  readonly id: string | undefined
  readonly signature: string
  readonly headers: NodeJS.Dict<string | string[]>
}

/** Runs `send` to a receiver that answers in turn, and normalizes what differs from run to run. */
export async function send(
  args: readonly string[],
  answers: readonly (readonly [status: number, body?: string])[] = [[200, 'ok']],
  setting: Setting = {},
) {
  const received: Received[] = []
  const url = await http(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('latin1')
    const { headers } = request
    const [status, text = ''] = answers[Math.min(received.length, answers.length - 1)] ?? [200]
    received.push({
      body,
      id: headers['service-event-id'] as string | undefined,
      signature: String(headers['service-signature']),
      headers,
    })
    response.writeHead(status).end(text)
  })
  const { code, stdout, stderr } = await webhookInbox(['send', ...args, '--to', `${url}?key=hidden`], {
    ...setting,
    env: { ...env, ...setting.env },
  })
  const steady = (text: string) =>
    text
      .replaceAll(url, 'URL')
      .replaceAll(/evt_[0-9a-f]{32}/g, 'evt_ID')
      .replaceAll(/\b\d+ ms\b/g, 'N ms')
      .replaceAll(/"milliseconds":\d+/g, '"milliseconds":0')
      .split('\n')
      .slice(0, -1)
  return { code, out: steady(stdout), err: steady(stderr), received }
}
