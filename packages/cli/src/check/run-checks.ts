import { UnreachableError } from '../exit.js'
import type { Answer, Exchange } from '../http/exchange.js'
import type { CaseResult, Finding, Need } from './case.js'
import { Endpoint, type EndpointOptions } from './endpoint.js'
import { firstCause, isRepeated, rejectsAll } from './first-cause.js'
import { isAcknowledged } from './judge.js'
import { rules } from './rules.js'
import { type Selected, type Selection, selectCases } from './select.js'

export interface CheckOptions extends Omit<EndpointOptions, 'url'>, Selection {
  /** Runs the cases that take longer than the tolerance, or as long as the handler, too. Default false. */
  readonly slow?: boolean
  /** Called before each case that is run. */
  readonly onStart?: (id: string) => void
}

/**
 * Runs all cases against an endpoint, one after the other. The first delivery is valid and belongs to no case. It finds out
 * whether the endpoint responds, and which envelope it reads. If it is rejected, that is the first result, and the cases that see
 * only this rejection are skipped: they would repeat one fault.
 *
 * Throws `UnreachableError` when that delivery gets no response, `UnknownCaseError` for a wrong selection, and
 * `ConfigurationError` of webhook-inbox for a secret or scheme that cannot sign.
 */
export async function* runChecks(
  url: string | URL,
  { only, skip, slow = false, onStart, ...options }: CheckOptions,
): AsyncGenerator<CaseResult> {
  const cases = selectCases({ ...(only && { only }), ...(skip && { skip }) })
  const endpoint = new Endpoint({ ...options, url: new URL(url) })
  const rejection = await probeEndpoint(endpoint)
  if (rejection) {
    yield rejectsAll(rejection, endpoint.toleranceSeconds)
  }
  let stoppedAfter: string | undefined

  for (const each of cases) {
    const startedAt = performance.now()
    const reason = stoppedAfter
      ? `the endpoint stopped answering after ${stoppedAfter}`
      : reasonToSkip(each, { options, slow })
    if (reason === undefined) {
      onStart?.(each.id)
    }
    const seen = endpoint.log.length
    const isPointless = rejection !== undefined && each.expectsRefusal === true
    const found: Finding =
      reason || isPointless
        ? { verdict: 'skip', received: 'nothing was sent', why: reason ?? noProof }
        : await each.run(endpoint)
    const seconds = (performance.now() - startedAt) / 1000
    const follows = rejection && isRepeated(found, endpoint.log.slice(seen), rejection)
    yield reason === undefined && (isPointless || follows)
      ? { ...toResult(each, { ...found, verdict: 'skip', why: noProof }, seconds), followsFrom: firstCause }
      : toResult(each, found, seconds)
    if (!stoppedAfter && found.verdict === 'fail' && !(await isAlive(endpoint))) {
      stoppedAfter = each.id
    }
  }
}

const noProof = 'no valid delivery was acknowledged, so it proves nothing'

/**
 * Finds the envelope in which the endpoint acknowledges a valid delivery. The run then uses this envelope. Resolves to the first
 * response if there is none.
 */
async function probeEndpoint(endpoint: Endpoint): Promise<Answer | undefined> {
  const { envelope = 'both' } = endpoint.options
  const first = await endpoint.deliver(await endpoint.event())
  if (first.kind === 'none') {
    throw new UnreachableError(first.problem)
  }
  if (isAcknowledged(first) || envelope !== 'both') {
    return isAcknowledged(first) ? undefined : first
  }
  endpoint.representation = 'snake_case'
  const second: Exchange = await endpoint.deliver(await endpoint.event())
  if (isAcknowledged(second)) {
    return undefined
  }
  endpoint.representation = 'camelCase'
  return first
}

/** Called after a failure. If the endpoint has ended, every other case would wait for its timeout. */
async function isAlive(endpoint: Endpoint): Promise<boolean> {
  const last = endpoint.log.at(-1)
  if (last?.exchange.kind === 'answer') {
    return true
  }
  const again = await endpoint.deliver(await endpoint.event())
  return again.kind === 'answer'
}

interface Circumstances {
  readonly options: Omit<EndpointOptions, 'url'>
  readonly slow: boolean
}

function reasonToSkip({ needs }: Selected, { options, slow }: Circumstances): string | undefined {
  const given: Readonly<Record<Need, boolean>> = {
    slow,
    probe: options.probe !== undefined,
    oldSecret: options.oldSecret !== undefined,
    production: options.isProduction === true,
  }
  return needs && !given[needs] ? needed[needs] : undefined
}

const needed: Readonly<Record<Need, string>> = {
  slow: 'it takes time; run it with --slow',
  probe: 'it needs a counter of effects; see --probe',
  oldSecret: 'it needs the secret that is being rotated out; see --old-secret-file',
  production: 'it is for production endpoints; see --production',
}

function toResult(each: Selected, { wrongAnswer: _, ...found }: Finding, seconds: number): CaseResult {
  const { id, group, title, rule, sends, advice } = each
  const isAdvised = found.verdict === 'fail' || found.verdict === 'warn'
  return {
    id,
    group,
    title,
    rule,
    ruleText: rules[rule],
    sent: sends,
    ...found,
    ...(isAdvised && { advice }),
    seconds,
  }
}
