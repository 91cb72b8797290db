import { ConfigurationError, signPayload } from 'webhook-inbox'
import { type Case, caseOf } from './case.js'
import { type Change, causes } from './causes.js'
import { describeBody } from './describe-body.js'
import type { Cause, DiagnoseInput, Diagnosis, ExplainedHeader, RefusalCode } from './diagnosis.js'
import { type Found, findMatch } from './find-match.js'
import { explainParts, readings, toSeconds } from './header.js'
import { hasOtherId, judge, type Verdict } from './judge.js'
import { describeScheme } from './scheme.js'
import { schemeLine } from './scheme-line.js'
import type { Match } from './search.js'
import { differenceOf, summaryOf } from './summary.js'
import { duration, time } from './time.js'

/**
 * Checks whether a receiver accepts the signature of a delivery, and explains why not. The corrections of all named causes together make
 * the signature match. The result contains no secret. It contains the expected signature only with `showExpected`.
 *
 * Rejects with `ConfigurationError` `unknown_option` or `invalid_option` for a scheme or a tolerance that cannot be used.
 */
export async function diagnose(input: DiagnoseInput): Promise<Diagnosis> {
  const given = caseOf(input)
  const verdict = await judge(given)
  const isSearched = verdict.code !== undefined && searchedCodes.has(verdict.code)
  const { match, report }: Found = isSearched ? await findMatch(given) : { report: { tried: 0, leftOut: [] } }
  const found = causesOf(given, verdict.code, match)
  const line = match && found.some(({ code }) => schemeCodes.has(code)) ? schemeLine(match.scheme) : undefined
  const expected = given.showExpected ? await expectedHeader(given) : undefined
  return {
    isAccepted: verdict.code === undefined,
    ...(verdict.code !== undefined && { code: verdict.code }),
    summary: summaryOf(verdict.code, found),
    header: explainHeader(given, verdict),
    body: describeBody(given.body),
    expectation: describeScheme(given.scheme),
    causes: found,
    ...(line !== undefined && { schemeLine: line }),
    search: report,
    ...(expected !== undefined && { expected }),
  }
}

/** Rejections whose cause must be searched; the others say it themselves. */
const searchedCodes: ReadonlySet<RefusalCode> = new Set([
  'signature_mismatch',
  'malformed_signature',
  'invalid_secret',
])

/** Causes that another scheme corrects. */
const schemeCodes: ReadonlySet<string> = new Set([
  'secret_prefix_kept',
  'secret_prefix_stripped',
  'key_encoding',
  'signed_content',
  'signature_encoding',
])

function causesOf(given: Case, code: RefusalCode | undefined, match: Match | undefined): Cause[] {
  const changes: Change[] = [...(match?.changes ?? [])]
  const isOwnBody = !changes.some((change) => change.code === 'header_from_another_delivery')
  if (code === 'event_id_mismatch' || (match && isOwnBody && hasOtherId(given))) {
    const evidence = `The header says ${given.id}, the body says ${given.idInBody}.`
    changes.push({ code: 'event_id_mismatch', evidence })
  }
  const timestampText = match?.timestampText ?? readings(given.header)[0]?.timestampText
  if ((match || code === 'timestamp_out_of_tolerance') && timestampText !== undefined) {
    changes.push(...lateness(toSeconds(timestampText), given))
  }
  const unique = changes.filter((change, at) => changes.findIndex((each) => each.code === change.code) === at)
  const difference = match && differenceOf(given.body, match.body)
  return unique.map(({ code: cause, evidence }, at) => {
    const isFirstOfBody =
      cause.startsWith('body_') && unique.findIndex((each) => each.code.startsWith('body_')) === at
    return {
      code: cause,
      sentence: causes[cause].sentence,
      evidence: isFirstOfBody && difference ? `${evidence} ${difference}` : evidence,
      fix: causes[cause].fix,
    }
  })
}

function lateness(seconds: number, { now, toleranceSeconds }: Case): Change[] {
  const late = now - seconds
  if (Math.abs(late) <= toleranceSeconds) {
    return []
  }
  const [code, side] =
    late > 0 ? (['timestamp_too_old', 'before'] as const) : (['timestamp_ahead', 'after'] as const)
  const distance = `${duration(late)} ${side} ${time(now)}`
  return [{ code, evidence: `t is ${time(seconds)}, ${distance}; the tolerance is ${toleranceSeconds} s.` }]
}

function explainHeader({ header, now, toleranceSeconds }: Case, { code, detail }: Verdict): ExplainedHeader {
  const parts = explainParts(header, now, toleranceSeconds)
  if (code !== 'malformed_signature' && code !== 'missing_signature') {
    return { parts }
  }
  const [, reason] = /\(([^)]*)\);/.exec(detail ?? '') ?? []
  return { parts, problem: reason ?? (code === 'missing_signature' ? 'there is none' : 'it cannot be read') }
}

async function expectedHeader({ body, header, id, secret, scheme, now }: Case): Promise<string | undefined> {
  const timestampText = readings(header)[0]?.timestampText
  const timestamp = timestampText === undefined ? now : toSeconds(timestampText)
  try {
    return await signPayload({
      body,
      secret: secret.secret,
      timestamp,
      scheme,
      ...(id !== undefined && { id }),
    })
  } catch (error) {
    // A secret or an id that cannot be signed with is reported as a cause.
    if (error instanceof ConfigurationError) {
      return undefined
    }
    throw error
  }
}
