/**
 * A receiver with a durable inbox on a real port and a sender that delivers to it over HTTP, good and bad, with the
 * verdicts as they come. Runs until Ctrl-C. Its inbox is a file of SQLite in the folder for temporary files: kill the
 * demo in the middle, start it again, and it goes on where it was.
 *
 * `--fresh` empties the inbox first. `--once` goes through everything once, in an inbox of its own, and exits 0 if every
 * verdict was the expected one. `PORT` picks the port; otherwise any free one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { codes, type ReceiveResult } from 'webhook-inbox'
import { type Answer, type SignedBody, testSender } from 'webhook-inbox/testing'
import { Books } from './books.js'
import { lastingFile, openDatabase, passingFile } from './database.js'
import { demoAgent, openInbox, secret } from './inbox.js'
import { Runs } from './runs.js'
import { acknowledgedBecause, handled, type Run, type Step, scenario, shortId } from './scenario.js'
import { clock, screen } from './screen.js'

const runOnce = process.argv.includes('--once')
/** The first round is for watching; later ones leave room on the screen. */
const paceSeconds = runOnce ? { first: 0.1, later: 0 } : { first: 0.8, later: 4 }
const toleranceSeconds = 300
/** A fresh command comes before the last one has gone stale. */
const freshCurlSeconds = 240

/** How long a handler takes, and the pause after it failed: long enough to watch. */
const [workSeconds, pauseSeconds] = runOnce ? [0, 0.1] : [0.3, 1.5]
/** How long an event may take to be run before the demo says that it was not. */
const patienceSeconds = 15

const show = screen(process.stdout)
const runs = new Runs()
const stop = new AbortController()
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

  const passing = runOnce ? passingFile() : undefined
  const path = passing?.path ?? lastingFile(process.argv.includes('--fresh'))
  const database = openDatabase(path)
  try {
    return await live(path, database)
  } finally {
    database.close()
    passing?.remove()
  }
}

async function live(path: string, database: ReturnType<typeof openDatabase>): Promise<boolean> {
  const books = new Books(database)
  const inbox = await openInbox(database, books, {
    port: Number(process.env.PORT ?? 0),
    workSeconds,
    pauseSeconds,
    onOwn: ({ outcome, eventId }) => outcome === 'accepted' && runs.expect(eventId ?? ''),
    onVisit: (result) => showVisit(books, result),
    onRun: (result) => runs.take(result) || showRun(result, inbox.leftOver.has(result.eventId ?? '')),
  })
  const sender = testSender({ url: inbox.url, secret, headers: { 'user-agent': demoAgent } })
  show.title('webhook-inbox: a receiver, and everything that happens to one')
  show.field('receiver', inbox.url)
  show.field('inbox', path)
  show.field('guarantee', inbox.guarantee.replaceAll('. ', '\n'))
  show.blank()
  const [waiting, done] = [inbox.leftOver.size, books.countEvents()]
  if (waiting + done > 0) {
    show.good(`resumed: ${waiting} ${waiting === 1 ? 'event' : 'events'} waiting, ${done} acted on before`)
    show.blank()
  }
  if (runOnce || waiting > 0) show.heading()
  await inbox.run()

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
      isAsExpected = (await take(books, step)) && isAsExpected
    }
    if (runOnce) break
    show.blank()
  }

  const left = await inbox.close()
  return books.close(show, left) && isAsExpected
}

function seconds(): number {
  return performance.now() / 1000
}

/** Shows what became of a step; false where it was not what should. */
async function take(books: Books, step: Step): Promise<boolean> {
  const answers = await step.deliver()
  for (const { outcome, status, eventId } of answers) books.count(outcome ?? String(status), eventId)

  const { count = 1, verdict, why } = step
  const isMet = answers.length === count && answers.every((answer) => verdictOf(answer) === verdict)
  const ids = new Set(answers.map(({ delivery }) => delivery.headers['service-event-id']))
  const [answer] = answers
  show.row({
    what: step.what,
    status: answer?.status ?? 0,
    outcome: answer?.outcome ?? 'none',
    eventId: ids.size === 1 ? [...ids][0] : undefined,
    why,
    expected: isMet ? undefined : `${count} x ${verdict}; ${why}`,
  })

  const eventIds = answers.flatMap(({ eventId }) => eventId ?? [])
  let isAsExpected = isMet
  for (const run of step.runs ?? []) {
    isAsExpected = (await watch(run, eventIds, step.holds ?? (() => true))) && isAsExpected
  }
  return isAsExpected
}

/** Waits until the inbox has run these events, and shows what came of it; false where it was not what should. */
async function watch(
  { what, outcome, why }: Run,
  eventIds: string[],
  holds: () => boolean,
): Promise<boolean> {
  const results = await Promise.all(eventIds.map((id) => runs.next(id, patienceSeconds, stop.signal)))
  if (stop.signal.aborted) return true
  const isMet = eventIds.length > 0 && results.every((result) => result?.outcome === outcome) && holds()
  show.row({
    what,
    outcome: results.find((result) => result?.outcome !== outcome)?.outcome ?? (isMet ? outcome : 'none'),
    eventId: eventIds.length === 1 ? eventIds[0] : undefined,
    why,
    expected: isMet ? undefined : `${outcome}; ${why}`,
  })
  return isMet
}

/** What was run that this life’s sender has not delivered. */
function showRun({ outcome, eventId }: ReceiveResult, isLeftOver: boolean): void {
  const what = isLeftOver ? 'left by the last life' : handled.what
  const why = outcome === 'processed' ? handled.why : 'it throws: will be tried again'
  show.row({
    what,
    outcome,
    eventId,
    why: isLeftOver && outcome === 'processed' ? 'accepted then, acted on now' : why,
  })
}

function verdictOf({ status, code, outcome }: Answer): string {
  return `${status} ${code ?? outcome}`
}

/** What somebody else delivered, as with the command below. */
function showVisit(books: Books, { outcome, status, eventId, code }: ReceiveResult): void {
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
