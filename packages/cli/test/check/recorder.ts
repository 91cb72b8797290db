import { isUtf8 } from 'node:buffer'
import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { Endpoint } from '../../src/check/endpoint.js'
import { selectCases } from '../../src/check/select.js'
import { http } from '../servers.js'
import { secret } from './receiver-by-hand.js'

const oldSecret = 'whsec_test_old_secret'

/** The finding of a case on one line, and each request of it in names for what a receiver checks. */
export interface Recorded {
  readonly finding: string
  readonly sent: readonly string[]
}

/** Runs a case against a receiver that answers every request in one way, or each by its number, counted from 1. */
export async function record(
  id: string,
  status: number | ((turn: number) => number) = 200,
  answer = 'ok',
  headers: Readonly<Record<string, string>> = {},
): Promise<Recorded> {
  const sent: string[] = []
  const url = await http(async (request, response) => {
    const body = await request
      .toArray()
      .then(Buffer.concat)
      .catch(() => undefined)
    sent.push(body ? describeRequest(request, body) : 'cut off')
    response.writeHead(typeof status === 'number' ? status : status(sent.length), headers).end(answer)
  })
  const given = { secret, oldSecret, isProduction: true, probe: `${url}/{id}`, settleSeconds: 0 }
  const [found] = selectCases({ only: [id] })
  const { verdict, received, why } = (await found?.run(new Endpoint({ ...given, url: new URL(url) }))) ?? {}
  const line = [`${verdict} ${received}`, why].filter((each) => each !== undefined).join('; ')
  return { finding: line.replaceAll(/ in \d+ ms: ok/g, ''), sent: counted(sent) }
}

/** Equal requests one after the other as `3 x POST`. */
function counted(requests: readonly string[]): string[] {
  const groups: { readonly text: string; count: number }[] = []
  for (const text of requests) {
    const last = groups.at(-1)
    if (last?.text === text) {
      last.count++
    } else {
      groups.push({ text, count: 1 })
    }
  }
  return groups.map(({ text, count }) => (count === 1 ? text : `${count} x ${text}`))
}

function describeRequest({ method, headers, rawHeaders }: IncomingMessage, body: Buffer): string {
  const lines = rawHeaders.filter((_, at) => rawHeaders[at - 1] === 'service-signature')
  const signatures = lines.map((line) =>
    line
      .split(',')
      .map((part) => describePart(part, line, body))
      .join(','),
  )
  const id = /"id":\s*"([^"]*)"/.exec(unpacked(body).toString('latin1', 0, 1000))?.[1]
  const named = headers['service-event-id']
  const type = headers['content-type'] ?? 'no type'
  const parts = [
    method,
    type === 'application/json' ? '' : type,
    headers['content-encoding'],
    headers['transfer-encoding'],
    headers.expect,
    signatures.length === 0 ? 'unsigned' : signatures.join(' and ').replace(repeated, manyTimes),
    named === undefined
      ? 'without id'
      : named === id
        ? ''
        : named === `${id}x`
          ? 'other id'
          : `id ${String(named).replace(/^evt_[0-9a-f]{32}$/, 'EVT')}`,
    describeBody(body),
  ]
  return parts.filter(Boolean).join(' ')
}

const repeated = /(,v1=wrong){3,}/
const manyTimes = (all: string) => `,${all.length / ',v1=wrong'.length} x v1=wrong`

/** A part of a signature header. A time is shown in seconds before or after now. */
function describePart(part: string, line: string, body: Buffer): string {
  const [tag = '', value = ''] = part.split('=', 2)
  const [, t = ''] = /t=(\d+)/.exec(line) ?? []
  if (tag === 't' && /^-?\d+$/.test(value)) {
    const age = Math.round((Date.now() / 1000 - Math.abs(Number(value))) / 10) * 10
    const sign = value.startsWith('-') ? 'negative ' : ''
    return sign + (age === 0 ? 't' : `t${age > 0 ? '-' : '+'}${Math.abs(age)}`)
  }
  const by = (key: string) => createHmac('sha256', key).update(`${t}.`).update(unpacked(body)).digest('hex')
  const known: Readonly<Record<string, string>> = { [by(secret)]: 'right', [by(oldSecret)]: 'old' }
  const form = /^[0-9a-f]{64}$/.test(value)
    ? 'wrong'
    : value.length === 1 || value.length > 12
      ? `${value.length} characters`
      : value
  return part.includes('=') ? `${tag}=${known[value] ?? form}` : part
}

const unpacked = (body: Buffer) => (body[0] === 0x1f ? gunzipSync(body) : body)

const head = '{"id":"EVT","type":"transfer.settled","environment":"production","createdAt":"TIME","data":{'
const tail = '"transferId":"TR","status":"settled","rail":"mobile_money","ledgerState":"matched"}}'

/** Nothing for an ordinary event. `HEAD` and `TAIL` are the parts of one. */
function describeBody(body: Buffer): string {
  if (body.length > 1000) {
    return `${body.length} bytes`
  }
  const bytes = unpacked(body)
  const text = bytes
    .toString(isUtf8(bytes) ? 'utf8' : 'latin1')
    .replaceAll(/evt_[0-9a-f]{32}/g, 'EVT')
    .replaceAll(/tr_([0-9a-f]{32}|check\d+)/g, 'TR')
    .replaceAll(/je_[0-9a-f]{32}/g, 'JE')
    .replaceAll(/apr_[0-9a-f]{32}/g, 'APR')
    .replaceAll(/"20\d\d-\d\d-\d\dT[\d:.]+Z"/g, (time) => ageOf(JSON.parse(time)))
  const known = text === head + tail ? '' : text.replace(head, 'HEAD ').replace(tail, 'TAIL')
  return body[0] === 0x1f ? `packed ${known}`.trim() : known
}

function ageOf(time: string): string {
  const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000)
  return minutes === 0 ? '"TIME"' : minutes > 100_000 ? JSON.stringify(time) : `"TIME-${minutes}m"`
}
