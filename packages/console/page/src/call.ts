import type { EventDetail, Overview, ProblemDocument } from '../../src/wire.js'
import { localTime } from './local-time.js'
import { request } from './request.js'
import { isSignedOut, refuses, signedOut } from './signed-out.js'

/** An answer that is no success, or none at all. The message is for a person. */
export class CallError extends Error {
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** What to say while the program cannot be reached. */
export const away = 'The program does not respond. This page reads again by itself.'

/** What to say where a change got no answer. */
const unknown = 'The program did not respond. It is not known whether it happened. Look before you try again.'

/** When the inbox was read last, in unix milliseconds; 0 before. */
export const lastReading = { at: 0 }

/** Reads a view. `path` is below `api/`. Rejects with `CallError`. */
export async function read<Answer>(path: string): Promise<Answer> {
  const answer = await ask<Answer>(path, {}, away)
  if (path !== 'me' && isWhole(answer as Partial<Overview & EventDetail>)) {
    lastReading.at = Date.now()
  }
  return answer
}

/** Whether the database answered. Without it a view still has its other parts. */
const isWhole = ({ statistics, problems }: Partial<Overview & EventDetail>): boolean =>
  problems === undefined && !(statistics && 'problem' in statistics)

/** Does something. Rejects with `CallError`. */
export const act = <Answer>(path: string, body: object): Promise<Answer> =>
  ask<Answer>(
    path,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    },
    unknown,
  )

async function ask<Answer>(path: string, init: RequestInit, silence: string): Promise<Answer> {
  const fail = () => {
    throw new CallError(silence)
  }
  const response = await request(path, init).catch(fail)
  if (refuses(response) && (await isSignedOut())) {
    throw new CallError(signedOut, response.status)
  }
  const text = await response.text().catch(fail)
  if (response.ok) {
    return JSON.parse(text) as Answer
  }
  throw new CallError(detailOf(text) ?? `The program responded with ${response.status}.`, response.status)
}

/** The receiver begins its messages in lower case, and its times are those of logs. */
const asSentence = (text: string): string =>
  text
    .replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => localTime(time).replace('T', ' '))

/** What a problem document says. A login page in between says nothing. */
function detailOf(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as Partial<ProblemDocument>
    return detail && asSentence(detail)
  } catch {
    return undefined
  }
}
