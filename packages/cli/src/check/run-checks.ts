import { UnreachableError } from '../exit.js'
import type { CaseResult, Finding, Need } from './case.js'
import { Endpoint, type EndpointOptions } from './endpoint.js'
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
 * whether the endpoint responds, and which envelope it reads.
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
  const isWorking = await probeEndpoint(endpoint)
  let stoppedAfter: string | undefined

  for (const each of cases) {
    const startedAt = performance.now()
    const reason = stoppedAfter
      ? `the endpoint stopped answering after ${stoppedAfter}`
      : reasonToSkip(each, { options, slow, isWorking })
    if (reason === undefined) {
      onStart?.(each.id)
    }
    const found: Finding = reason
      ? { verdict: 'skip', received: 'nothing was sent', why: reason }
      : await each.run(endpoint)
    yield toResult(each, found, (performance.now() - startedAt) / 1000)
    if (!stoppedAfter && found.verdict === 'fail' && !(await isAlive(endpoint))) {
      stoppedAfter = each.id
    }
  }
}

/** Whether the endpoint acknowledges a valid delivery in one of the envelopes. The run then uses this envelope. */
async function probeEndpoint(endpoint: Endpoint): Promise<boolean> {
  const { envelope = 'both' } = endpoint.options
  const first = await endpoint.deliver(await endpoint.event())
  if (first.kind === 'none') {
    throw new UnreachableError(first.problem)
  }
  if (isAcknowledged(first) || envelope !== 'both') {
    return isAcknowledged(first)
  }
  endpoint.representation = 'snake_case'
  const second = await endpoint.deliver(await endpoint.event())
  if (isAcknowledged(second)) {
    return true
  }
  endpoint.representation = 'camelCase'
  return false
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
  readonly isWorking: boolean
}

function reasonToSkip(
  { needs, expectsRefusal }: Selected,
  { options, slow, isWorking }: Circumstances,
): string | undefined {
  const given: Readonly<Record<Need, boolean>> = {
    slow,
    probe: options.probe !== undefined,
    oldSecret: options.oldSecret !== undefined,
    production: options.isProduction === true,
  }
  if (needs && !given[needs]) {
    return needed[needs]
  }
  if (expectsRefusal && !isWorking) {
    return 'no valid delivery was acknowledged, so a rejection proves nothing'
  }
  return undefined
}

const needed: Readonly<Record<Need, string>> = {
  slow: 'it takes time; run it with --slow',
  probe: 'it needs a counter of effects; see --probe',
  oldSecret: 'it needs the secret that is being rotated out; see --old-secret-file',
  production: 'it is for production endpoints; see --production',
}

function toResult(each: Selected, found: Finding, seconds: number): CaseResult {
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
