import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Which targets a sandbox may send to. */
export interface TargetRules {
  /** Rejects `http:`, on loopback too. */
  readonly strictHttps: boolean
  /** Allows `https:` to addresses outside this machine. */
  readonly allowRemote: boolean
  /** The port on which the sandbox itself listens. It is not a valid target on this machine. */
  readonly ownPort?: (() => number) | undefined
}

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** A target that the guard rejects. No connection was made. */
export class AddressRefused extends Error {
  readonly code = 'address_not_allowed'
}

/** A name for which a resolver gives no usable address. */
class NotResolved extends Error {
  readonly code = 'ENOTFOUND'
}

/** Why a connection to this address is rejected; `undefined` if it is allowed. */
export function addressProblem(address: string, protocol: string, rules: TargetRules): string | undefined {
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback') {
    return undefined
  }
  const isNat64 = range === 'rfc6052'
  const actual = isNat64 ? new ipaddr.IPv4(parsed.toByteArray().slice(12)) : parsed
  if (!isHost(actual)) {
    return `${address} is never a target`
  }
  if (protocol !== 'https:') {
    return `${address} is not on this machine, and http: is for loopback only`
  }
  return rules.allowRemote ? undefined : `${address} is not on this machine; start with --allow-remote`
}

/** Rejects link-local, unspecified, multicast and reserved addresses, and those that hide another address. */
function isHost(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const range = address.range()
  if (!hostRanges.has(range) || metadataAddresses.has(address.toString())) {
    return false
  }
  // Addresses outside of 2000::/3, such as ::169.254.169.254, which ipaddr.js classifies as unicast.
  return address.kind() === 'ipv4' || range !== 'unicast' || (address as ipaddr.IPv6).match(globalUnicast)
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

const hostRanges: ReadonlySet<string> = new Set(['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'])

/** Services of cloud providers that give credentials and have addresses outside the link-local ranges. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:42::42',
])

/**
 * A `lookup` for a socket that checks every address directly before the connection. So a name that later resolves to another
 * address is checked again. One rejected address rejects the name.
 */
export function guardedLookup(
  protocol: string,
  rules: TargetRules,
  resolve: Resolve = systemLookup,
): LookupFunction {
  return (hostname, options, done) => {
    const found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => {
      if (error) {
        return done(error, [])
      }
      if (!isAddresses(addresses)) {
        return done(new NotResolved(`${hostname} resolves to no address`), [])
      }
      const problem = addresses
        .map(({ address }) => addressProblem(address, protocol, rules))
        .find((each) => each !== undefined)
      if (problem !== undefined) {
        return done(new AddressRefused(`${hostname} resolves to ${problem}`), [])
      }
      const [first] = addresses
      if (options.all || !first) {
        return done(null, addresses)
      }
      done(null, first.address, first.family)
    }
    try {
      resolve(hostname, { ...options, all: true } as LookupAllOptions, found)
    } catch (error) {
      done(error as NodeJS.ErrnoException, [])
    }
  }
}

/** The user may pass a resolver. The parser of addresses throws for an invalid result. */
function isAddresses(given: unknown): given is LookupAddress[] {
  return (
    Array.isArray(given) &&
    given.length > 0 &&
    given.every((one: unknown) => {
      const { address } = Object(one) as Partial<LookupAddress>
      return typeof address === 'string' && isIP(address) !== 0 && ipaddr.isValid(address)
    })
  )
}

/** The address that a URL names literally; `undefined` if it names a host. */
export function literalAddress({ hostname }: URL): string | undefined {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? undefined : address
}
