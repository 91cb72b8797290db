import { maxAnswerBytes } from '../../http/exchange.js'
import type { Case, Finding } from '../case.js'
import type { Exchanged } from '../endpoint.js'
import { isAcknowledged } from '../judge.js'

/** Checks all responses of the run. These cases run last. */
export const answers: readonly Case[] = [
  {
    id: 'answer-time',
    title: 'responses arrive well before the timeout of the sender',
    rule: 'I6',
    sends: 'nothing more; the case looks at every acknowledgement of this run',
    advice: 'Store the event, answer, and do the work afterwards from a queue.',
    run: ({ log, timeoutSeconds }) => {
      const times = log
        .filter(({ exchange }) => isAcknowledged(exchange))
        .map(({ exchange }) => exchange.seconds)
      if (times.length === 0) {
        return { verdict: 'skip', received: 'no acknowledgement' }
      }
      const slowest = Math.max(...times)
      const received = `the slowest of ${times.length} took ${slowest.toFixed(2)} s`
      if (slowest <= timeoutSeconds / 3) {
        return { verdict: 'pass', received }
      }
      return { verdict: 'warn', received, why: `senders give up after ${timeoutSeconds} s` }
    },
  },
  {
    id: 'answer-size',
    title: 'responses are short',
    rule: 'I6',
    sends: 'nothing more; the case looks at every response of this run',
    advice: 'Answer with a few bytes. Senders keep the beginning of a response at most.',
    run: ({ log }) => {
      const isLong = log.some(({ exchange }) => exchange.kind === 'answer' && exchange.isCut)
      const limit = `${maxAnswerBytes / 1024} KiB`
      if (!isLong) {
        return { verdict: 'pass', received: `no response was longer than ${limit}` }
      }
      return {
        verdict: 'warn',
        received: `a response was longer than ${limit}`,
        why: 'the rest was not read',
      }
    },
  },
  {
    id: 'leaks-secret',
    title: 'no response contains the secret',
    rule: 'I10',
    sends: 'nothing more; the case looks at every response of this run',
    advice: 'Answer with a code alone. Write details to the log, without the secret.',
    run: ({ log, options }) => {
      const secrets = [options.secret, options.oldSecret].filter((secret) => secret !== undefined)
      return noneOf(log, (text) => secrets.some((secret) => text.includes(secret)), 'the secret')
    },
  },
  {
    id: 'leaks-signature',
    title: 'no response contains the expected signature',
    rule: 'I10',
    sends: 'nothing more; the case looks at every response of this run',
    advice: 'Never answer with the expected signature: anyone could send your own response back.',
    run: ({ log }) =>
      noneOf(log, (text, untold) => untold.some((each) => text.includes(each)), 'the right signature'),
  },
  {
    id: 'leaks-stack',
    title: 'no response contains a stack trace',
    rule: 'I10',
    sends: 'nothing more; the case looks at every response of this run',
    advice: 'Set NODE_ENV=production or add an error handler. A stack trace shows paths and versions.',
    run: ({ log }) => noneOf(log, (text) => stackTrace.test(text), 'a stack trace'),
  },
]

/** The stack traces of Node, Python, Java and .NET, Go, Ruby and PHP, in this order. */
const stackTrace =
  /\bat .{1,200}:\d+:\d+|Traceback \(most recent call last\)|\bat [\w.$]+\([\w.]+:\d+\)|goroutine \d+ \[|\.rb:\d+:in |#0 .{1,200}\.php\(\d+\)/

function noneOf(
  log: readonly Exchanged[],
  leaks: (text: string, untold: readonly string[]) => boolean,
  what: string,
): Finding {
  for (const { exchange, untold } of log) {
    if (exchange.kind === 'none') {
      continue
    }
    const text = `${Object.values(exchange.headers).join('\n')}\n${exchange.body}`
    if (leaks(text, untold)) {
      return {
        verdict: 'fail',
        received: `a response ${exchange.status} with ${what}`,
        why: 'anyone can read it',
      }
    }
  }
  return { verdict: 'pass', received: `none of ${log.length} responses` }
}
