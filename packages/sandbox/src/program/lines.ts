import { styleText } from 'node:util'
import type { RequestRecord } from '../control/request-log.js'
import type { AttemptNotice } from '../delivery/attempt-notice.js'
import type { Options } from '../options/options.js'
import { optionTable } from '../options/table.js'
import type { Sandbox } from '../sandbox.js'

type Format = Parameters<typeof styleText>[0]
/** Colors a text, or returns it unchanged. */
export type Paint = (format: Format, text: string) => string

export const paintFor = (hasColors: boolean): Paint =>
  hasColors ? (format, text) => styleText(format, text) : (_format, text) => text

/** The output of the program after its start. */
export function banner(url: string, options: Options, forwarding: Sandbox['forwarding']): string {
  const lines = [
    `sandbox     ${url}/v1            Authorization: Bearer ${shownKey(options.apiKey)}`,
    `inspector   ${url}/_inspector    OpenAPI ${url}/openapi.json`,
    ...options.forwardTo.flatMap((target, index) => [
      `delivering  every event -> ${target}`,
      `secret      ${shownSecret(forwarding[index], options)}`,
    ]),
  ]
  if (options.forwardTo.length === 0) {
    lines.push('delivering  nothing yet: pass --forward-to URL, or POST /webhook-subscriptions')
  }
  if (!isLoopback(options.host)) {
    lines.push(
      `warning     --host ${options.host}: everybody who reaches this port can read the keys and secrets of the sandbox`,
    )
  }
  return `${lines.join('\n')}\n`
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)

/** As for a key: only a secret that the sandbox made is printed. */
function shownSecret(target: Sandbox['forwarding'][number] | undefined, { state }: Options): string {
  if (!target?.isSecretMade) {
    return '<the secret that you gave>'
  }
  return `export WEBHOOK_SECRET=${target.secret}${state === ':memory:' ? '          (the same at every start)' : ''}`
}

/** A key of the user may be a real one, and logs may be stored, so it is not printed. */
const shownKey = (key: string) => (key === optionTable.apiKey.default ? key : '<the key of --api-key>')

/** `14:02:11.204  POST /v1/transfers            201  tr_01K4...   sim_settle` */
export function requestLine(request: RequestRecord, paint: Paint): string {
  const { method, path, status, subject, code, isReplayed } = request
  const about = [subject, code, isReplayed && 'idempotency replay'].filter(Boolean).join('  ')
  return `${time(request.at, paint)}  ${`${method} ${printable(path)}`.padEnd(28)}  ${paintStatus(status, paint)}  ${printable(about)}`
}

/** `14:02:11.310  -> transfer.settled  evt_01K4Z  attempt 1 of 6`, and the response to it. */
export function attemptLine(notice: AttemptNotice, paint: Paint, now = Date.now()): string {
  const { delivery, number, of } = notice
  if (notice.phase === 'started') {
    const attempt = delivery.cause === 'replay' ? 'replay' : `attempt ${number} of ${of}`
    return `${time(now, paint)}  -> ${delivery.eventType}  ${delivery.eventId}  ${attempt}`
  }
  const { response, failure, timings, outcome, code, nextTryAt, startedAt } = notice.attempt
  const status =
    failure || !response ? paint('red', failure?.kind ?? 'failed') : paintStatus(response.status, paint)
  const words = [
    code ?? outcome,
    nextTryAt !== undefined && `next attempt in ${Math.round((nextTryAt - startedAt) / 1000)} s`,
    delivery.state === 'exhausted' && 'no further attempt',
    delivery.cause === 'replay' && 'replay',
  ].filter((word) => typeof word === 'string')
  const took = `${Math.round(timings.ended)} ms`.padStart(6)
  return `${time(now, paint)}  <- ${status} ${took}  ${words.join('  ').padEnd(24)}  ${paint('dim', delivery.eventId)}`
}

function paintStatus(status: number, paint: Paint): string {
  return paint(status < 300 ? 'green' : status < 500 ? 'yellow' : 'red', String(status))
}

/** The sender of a request chooses the path, so control characters in it are escaped. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80)

function time(at: number, paint: Paint): string {
  const date = new Date(at)
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  )
  return paint('dim', `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}`)
}
