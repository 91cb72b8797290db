import { lookup as systemLookup } from 'node:dns'
import {
  addressProblem,
  guardedLookup,
  literalAddress,
  type Resolve,
  type TargetRules,
} from './address-guard.js'

const longestUrl = 2048

/**
 * Why a subscription to this URL is rejected; `undefined` if it is allowed. A literal address is checked here. A name is
 * checked at each connection, because its address can change.
 */
export function targetProblem(text: string, rules: TargetRules): string | undefined {
  if (text.length > longestUrl) {
    return `must have at most ${longestUrl} characters`
  }
  // The parser rewrites octal, hexadecimal and short forms of an address to the usual one.
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return 'must be an https: URL, or http: on loopback'
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain credentials'
  }
  if (url.protocol === 'http:' && rules.strictHttps) {
    return 'must be https:, because of --strict-https'
  }
  const address = literalAddress(url)
  const isLocal = address === undefined ? isLocalhost(url) : isHere(address)
  if (isLocal && portOf(url) === rules.ownPort?.()) {
    return 'must not be this sandbox'
  }
  return address === undefined ? undefined : addressProblem(address, url.protocol, rules)
}

/** A parsed URL has no port if it is the one of its protocol. */
const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)

const isLocalhost = ({ hostname }: URL) => /(^|\.)localhost$/.test(hostname)

/** `http:` is allowed only for loopback, that is for this machine. */
const isHere = (address: string) =>
  addressProblem(address, 'http:', { strictHttps: false, allowRemote: false }) === undefined

/**
 * Like {@link targetProblem}. Also resolves the name of an `http:` URL, which must be loopback. Await it before the
 * transaction that creates the subscription. `resolve` defaults to `dns.lookup`.
 */
export async function checkTarget(
  text: string,
  rules: TargetRules,
  resolve: Resolve = systemLookup,
): Promise<string | undefined> {
  const problem = targetProblem(text, rules)
  if (problem !== undefined) {
    return problem
  }
  const url = new URL(text)
  if (url.protocol === 'https:' || literalAddress(url) !== undefined) {
    return undefined
  }
  return new Promise((settle) => {
    guardedLookup('http:', rules, resolve)(url.hostname, { all: true }, (error) => {
      settle(error ? `must be https: unless it is loopback (${error.message})` : undefined)
    })
  })
}
