/**
 * A receiver on a real port and a sender that delivers to it over HTTP, good and bad, with the verdicts as they come.
 * Runs until Ctrl-C; `--once` goes through it once and exits 0 if every verdict was the expected one. `PORT` picks
 * the port; otherwise any free one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { codes, type ReceiveResult } from 'webhook-inbox'
import { type Answer, type SignedBody, testSender } from 'webhook-inbox/testing'
import { Books } from './books.js'
import { demoAgent, openInbox, secret } from './inbox.js'
import { acknowledgedBecause, type Step, scenario, shortId } from './scenario.js'
import { clock, screen } from './screen.js'

const runOnce = process.argv.includes('--once')
/** The first round is for watching; later ones leave room on the screen. */
const paceSeconds = runOnce ? { first: 0.1, later: 0 } : { first: 0.8, later: 4 }
const toleranceSeconds = 300
/** A fresh command comes before the last one has gone stale. */
const freshCurlSeconds = 240

const show = screen(process.stdout)
const books = new Books()
main().then(
  (isGood) => {
    process.exitCode = isGood ? 0 : 1
  },
  (error: Error) => {
    console.error(`The demo cannot go on: ${error.message}`)
    process.exitCode = 1
  },
)

/** False where a verdict was not the expected one, or an event was acted on more than once. */
async function main(): Promise<boolean> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

  const inbox = await openInbox(books, Number(process.env.PORT ?? 0), showVisit)
  const sender = testSender({ url: inbox.url, secret, headers: { 'user-agent': demoAgent } })
  show.title('webhook-inbox: a receiver, and everything that happens to one')
  show.field('receiver', inbox.url)
  show.field('guarantee', inbox.guarantee.replaceAll('. ', '\n'))
  show.blank()
  if (runOnce) show.heading()

  let curlShownAt = Number.NEGATIVE_INFINITY
  let isAsExpected = true
  for (let pace = paceSeconds.first; !stop.signal.aborted; pace = paceSeconds.later) {
    for (const step of await scenario(sender, books)) {
      if (!runOnce && seconds() - curlShownAt > freshCurlSeconds) {
        curlShownAt = seconds()
        showCurl(inbox.url, await sender.prepare('transfer.settled', {}, { id: shortId() }))
      }
      await sleep(pace * 1000, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) break
      isAsExpected = (await take(step)) && isAsExpected
    }
    if (runOnce) break
    show.blank()
  }

  await inbox.close()
  return books.close(show) && isAsExpected
}

function seconds(): number {
  return performance.now() / 1000
}

/** Shows what became of a step; false where it was not what should. */
async function take(step: Step): Promise<boolean> {
  const answers = await step.deliver()
  for (const { outcome, status, eventId } of answers) books.count(outcome ?? String(status), eventId)

  const { count = 1, verdict, why } = step
  const isMet = answers.length === count && answers.every((answer) => verdictOf(answer) === verdict)
  const isExpected = isMet && (step.holds?.() ?? true)
  const [answer] = answers
  show.row({
    what: step.what,
    status: answer?.status ?? 0,
    outcome: answer?.outcome ?? 'none',
    eventId: answer?.delivery.headers['service-event-id'],
    why,
    expected: isExpected ? undefined : `${count} x ${verdict}; ${why}`,
  })
  return isExpected
}

function verdictOf({ status, code, outcome }: Answer): string {
  return `${status} ${code ?? outcome}`
}

/** What somebody else delivered, as with the command below. */
function showVisit({ outcome, status, eventId, code }: ReceiveResult): void {
  books.count(outcome, eventId)
  const words: Readonly<Record<string, string>> = acknowledgedBecause
  const why = code ? codes[code].fact : (words[outcome] ?? '')
  show.row({ what: 'yours', status, outcome, eventId, why })
}

function showCurl(url: string, { headers, body }: SignedBody): void {
  const until = clock(new Date(Date.now() + toleranceSeconds * 1000))
  show.text(
    `Deliver one yourself: paste this into another terminal before ${until}. Pasted again it is a duplicate; ` +
      'with a character of the body changed it is refused. Ctrl-C ends the demo and shows the books.',
  )
  const flags = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  show.verbatim(
    [`curl -i ${quote(url)}`, ...flags, `--data-binary ${quote(body.toString())}`].join(' \\\n  '),
  )
  show.heading()
}

/** Between single quotes a shell leaves everything as it is but the single quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
