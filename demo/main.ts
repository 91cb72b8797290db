/**
 * The whole loop on one machine. The sandbox simulates transfers and sends signed webhooks, valid and faulty ones. A
 * receiver with a durable inbox handles them, and the demo shows each result. It runs until Ctrl-C. The inbox is a SQLite
 * file in the folder for temporary files. Kill the demo in the middle and start it again: it picks up where it left off.
 *
 * `--fresh` empties the inbox first. `--once` runs all steps once with a new inbox, and exits 0 if every result is the
 * expected one. `PORT` is the port of the receiver. Default: any free port.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { codes, type ReceiveResult } from 'webhook-inbox'
import { testSender } from 'webhook-inbox/testing'
import { openBrowser } from 'webhook-inbox-sandbox/program'
import { Books } from './books.js'
import { showCurl } from './curl.js'
import { lastingFile, openDatabase, passingFile } from './database.js'
import { demoAgent, openInbox } from './inbox.js'
import { type Entry, Journal } from './journal.js'
import { columnsOf, play } from './play.js'
import { acknowledgedBecause, handled, scenario } from './scenario.js'
import { screen } from './screen.js'
import { secret, startService } from './service.js'
import { stopSignal } from './stop-signal.js'

const runOnce = process.argv.includes('--once')
/** Seconds between two steps. Later rounds are slower, to leave room on the screen. */
const paceSeconds = runOnce ? { first: 0, later: 0 } : { first: 0.8, later: 4 }
/** The demo prints a new command before the last one is too old. */
const freshCurlSeconds = 240
/** Duration of a handler and the delay after a failure, in seconds. Long enough to watch. */
const [workSeconds, pauseSeconds] = runOnce ? [0, 0.1] : [0.3, 1.5]

const show = screen(process.stdout)
const stop = stopSignal()
main().then(
  (isGood) => {
    process.exitCode = isGood ? 0 : 1
  },
  (error: Error) => {
    console.error(`The demo cannot go on: ${error.message}`)
    // Nothing is closed here: the inbox survives a crash.
    process.exit(1)
  },
)

/** False if a result was not the expected one, or an event was processed more than once. */
async function main(): Promise<boolean> {
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
  const service = await startService()
  try {
    return await watch(path, database, service)
  } finally {
    await service.sandbox.close()
  }
}

async function watch(
  path: string,
  database: ReturnType<typeof openDatabase>,
  service: Awaited<ReturnType<typeof startService>>,
): Promise<boolean> {
  const books = new Books(database)
  const journal = new Journal()
  const inbox = await openInbox(database, books, {
    port: Number(process.env.PORT ?? 0),
    workSeconds,
    pauseSeconds,
    client: service.client,
    onEntry: (entry) =>
      entry.kind === 'run' && inbox.leftOver.has(entry.eventId ?? '')
        ? showLeftOver(entry)
        : journal.note(entry),
    onVisit: (result) => showVisit(books, result),
  })
  const forger = testSender({ url: inbox.url, secret, headers: { 'user-agent': demoAgent } })
  await service.client.webhookSubscriptions.create({ url: inbox.url, events: ['*'] })
  if (service.inspector && process.argv.includes('--open')) {
    openBrowser(service.inspector)
  }
  introduce(path, inbox.url, inbox.guarantee, service.sandbox.url, service.inspector)
  resume(inbox.leftOver.size, books.countEvents())
  if (runOnce || inbox.leftOver.size > 0) {
    show.heading()
  }
  await inbox.run()

  const hint = runOnce ? acknowledgedBecause.accepted : `kill -9 ${process.pid}, then start me again`
  let curlShownAt = Number.NEGATIVE_INFINITY
  let isAsExpected = true
  for (let pace = paceSeconds.first; !stop.aborted; pace = paceSeconds.later) {
    for (const step of scenario({ service, inbox, books, forger, hint })) {
      if (!runOnce && performance.now() / 1000 - curlShownAt > freshCurlSeconds) {
        curlShownAt = performance.now() / 1000
        showCurl(show, inbox.url, await forger.prepare('transfer.settled'))
      }
      await sleep(pace * 1000, undefined, { signal: stop }).catch(() => {})
      if (stop.aborted) {
        break
      }
      isAsExpected = (await play(step, show, journal, books, stop)) && isAsExpected
      for (const entry of journal.drain()) {
        showOther(books, entry)
      }
    }
    if (runOnce) {
      break
    }
    show.blank()
  }

  await service.sandbox.close()
  const left = await inbox.close()
  return books.close(show, left) && isAsExpected
}

function introduce(path: string, url: string, guarantee: string, sandbox: string, inspector?: string): void {
  show.title('webhook-inbox: no webhook about money is lost, and none is acted on twice')
  if (inspector) {
    show.field('inspector', inspector)
  }
  show.field(
    'sandbox',
    `${sandbox}\nthe payments platform on this machine: it moves money and sends signed webhooks`,
  )
  show.field(
    'receiver',
    `${url}\nanswers 200 once an event is committed to its inbox, and acts on it afterwards`,
  )
  show.field('inbox', path)
  show.field('guarantee', guarantee.replaceAll('. ', '\n'))
  if (!runOnce) {
    show.field('process', String(process.pid))
  }
  show.blank()
}

function resume(waiting: number, done: number): void {
  if (waiting + done === 0) {
    return
  }
  show.good(`resumed: ${waiting} ${waiting === 1 ? 'event' : 'events'} waiting, ${done} acted on before`)
  show.blank()
}

/** A run of an event that an earlier run of the demo accepted. */
function showLeftOver(entry: Entry): void {
  const why =
    entry.verdict === 'processed'
      ? 'accepted then, acted on now'
      : 'the handler throws: the inbox tries again'
  show.row({ ...columnsOf(entry), what: 'left by the last life', why })
}

/** An entry that no step of the demo caused, for example a replay in the inspector. */
function showOther(books: Books, entry: Entry): void {
  if (entry.kind === 'run') {
    show.row({ ...columnsOf(entry), why: handled })
  } else {
    books.count(entry.outcome, entry.eventId)
    show.row({ ...columnsOf(entry), what: 'yours', why: whyOf(entry) })
  }
}

/** A delivery of a visitor, for example with the printed command. */
function showVisit(books: Books, { outcome, status, eventId, code }: ReceiveResult): void {
  books.count(outcome, eventId)
  show.row({ what: 'yours', status, outcome, eventId, why: whyOf({ outcome, code }) })
}

function whyOf({ outcome, code }: Pick<Entry, 'outcome' | 'code'>): string {
  const words: Readonly<Record<string, string>> = acknowledgedBecause
  return code ? codes[code].fact : (words[outcome] ?? '')
}
