import { unknownWords } from '../../src/unknown-words.js'
import type { EventDetail, Overview, ProblemDocument } from '../../src/wire.js'
import { localTime } from './local-time.js'
import { request } from './request.js'
import { askWhetherOut, outWords, refuses } from './signed-out.js'

/** An answer that is no success, or none at all. The message is for a person. */
export class CallError extends Error {
  readonly status: number | undefined
  /** What the program said of it. */
  readonly said: Partial<ProblemDocument>

  constructor(message: string, status?: number, said: Partial<ProblemDocument> = {}) {
    super(message)
    this.status = status
    this.said = said
  }
}

/** When the inbox was read last, in unix milliseconds; 0 before. */
export const lastReading = { at: 0 }

/** Reads a view. `path` is below `api/`. Rejects with `CallError`. */
export async function read<Answer>(path: string): Promise<Answer> {
  const answer = await ask<Answer>(path, {}, 'This page reads again by itself.')
  if (path !== 'me' && isWhole(answer as Partial<Overview & EventDetail>)) {
    lastReading.at = Date.now()
  }
  return answer
}

/** Whether the database answered. Without it a view still has its other parts. */
const isWhole = ({ statistics, problems }: Partial<Overview & EventDetail>): boolean =>
  problems === undefined && !(statistics && 'problem' in statistics)

/** Prepares a change, and changes nothing. Rejects with `CallError`. */
export const prepare = <Answer>(path: string, body: object): Promise<Answer> => act(path, body, 'Try again.')

/** Does something. Rejects with `CallError`. */
export const act = <Answer>(path: string, body: object, next = unknownWords(path)): Promise<Answer> =>
  ask<Answer>(
    path,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    },
    next,
  )

/** `next` is what to say where the program itself says nothing. */
async function ask<Answer>(path: string, init: RequestInit, next: string): Promise<Answer> {
  const fail = () => {
    // It may stand here when the program responds again.
    throw new CallError(`The program did not respond. ${next}`)
  }
  const response = await request(path, init).catch(fail)
  const out = refuses(response) ? await askWhetherOut() : undefined
  if (out) {
    throw new CallError(`${outWords[out]}${init.method ? ' Nothing was changed.' : ''}`, response.status)
  }
  const text = await response.text().catch(fail)
  if (response.ok) {
    return JSON.parse(text) as Answer
  }
  const { status } = response
  const said = saidIn(text)
  throw new CallError(
    said.detail ? asSentence(said.detail) : `The program responded with ${status}. ${next}`,
    status,
    said,
  )
}

/** The receiver begins its messages in lower case, and its times are those of logs. */
const asSentence = (text: string): string =>
  text
    .replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => localTime(time).replace('T', ' '))

/** What a problem document says. A login page in between says nothing. */
function saidIn(text: string): Partial<ProblemDocument> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
