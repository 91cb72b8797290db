import { type Setting, webhookInbox } from '../in-process.js'
import { http } from '../servers.js'

/** One request to the control plane, such as `GET deliveries?limit=20`, and its JSON body. */
export type Asked = readonly [request: string, body?: unknown]

/** What the control plane answers: JSON, a text as it is, or a status besides. */
export type Answers = Readonly<Record<string, unknown>>

export class Answer {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {}
}

/**
 * Runs `webhook-inbox sandbox ...` against a server that answers as a sandbox does, and says what it was asked. The names of the
 * answers are methods with paths.
 */
export async function onPlane(args: readonly string[], answers: Answers, setting: Setting = {}) {
  const asked: Asked[] = []
  const url = await http(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const name = `${request.method} ${request.url?.replace('/_sandbox/', '')}`
    asked.push(text === '' ? [name] : [name, JSON.parse(text)])
    const answer = answers[name]
    const { status, body } = answer instanceof Answer ? answer : new Answer(200, JSON.stringify(answer ?? {}))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  const { origin } = new URL(url)
  const { code, stdout, stderr } = await webhookInbox(['sandbox', ...args], {
    ...setting,
    env: { NO_COLOR: '1', SANDBOX_URL: origin, ...setting.env },
  })
  const lines = (text: string) => text.replaceAll(origin, 'ORIGIN').split('\n').slice(0, -1)
  return { code, out: lines(stdout), err: lines(stderr), asked }
}

/** What a command asks of the sandbox, what it prints, and its exit code. */
export async function ran(args: readonly string[], answers: Answers, columns?: number) {
  return onPlane(args, answers, columns === undefined ? {} : { columns })
}

/** What {@link ran} resolves to. */
export const expected = (
  out: readonly string[],
  asked: readonly Asked[],
  code = 0,
  err: readonly string[] = [],
) => ({
  code,
  out,
  err,
  asked,
})
