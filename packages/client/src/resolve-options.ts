import { UsageError } from './errors.js'
import { checkNames, invalid, pause, timeout, wholeNumber } from './option-checks.js'
import type { Auth, ClientOptions, Settings } from './options.js'
import { isLoopback } from './schemas/webhook-url.js'

const clientOptions = [
  'baseUrl',
  'apiKey',
  'auth',
  'allowInsecureHttp',
  'retry',
  'timeoutSeconds',
  'maxResponseBytes',
  'apiVersion',
  'subscriptionsPath',
  'fetch',
]
const retryOptions = ['maxRetries', 'firstPauseSeconds', 'longestPauseSeconds', 'longestRetryAfterSeconds']

/** Fills in the defaults. Throws `UsageError`. */
export function resolveOptions(options: ClientOptions): Settings {
  checkNames('createClient', options, clientOptions)
  const { retry = {}, apiVersion = 'v1', subscriptionsPath = '/webhook-subscriptions', fetch } = options
  checkNames('retry', retry, retryOptions)
  if (typeof apiVersion !== 'string' || !/^v\d{1,4}$/.test(apiVersion)) {
    throw invalid('apiVersion must be a version such as v1')
  }
  if (!/^(\/[A-Za-z0-9_-]+)+$/.test(subscriptionsPath)) {
    throw invalid('subscriptionsPath must be a path such as /webhook-subscriptions')
  }
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw invalid('fetch must be a function')
  }
  return {
    root: rootOf(options, apiVersion),
    apiVersion,
    subscriptionsPath,
    auth: authOf(options),
    retry: {
      maxRetries: wholeNumber('retry.maxRetries', retry.maxRetries ?? 3, { least: 0, most: 10 }),
      firstPauseSeconds: pause('retry.firstPauseSeconds', retry.firstPauseSeconds ?? 0.5),
      longestPauseSeconds: pause('retry.longestPauseSeconds', retry.longestPauseSeconds ?? 8),
      longestRetryAfterSeconds: pause('retry.longestRetryAfterSeconds', retry.longestRetryAfterSeconds ?? 60),
    },
    timeoutSeconds: timeout(options.timeoutSeconds ?? 30),
    maxResponseBytes: wholeNumber('maxResponseBytes', options.maxResponseBytes ?? 10 * 2 ** 20, {
      least: 1,
      most: 2 ** 30,
    }),
    // Looked up at each call, so that a later replacement of the global is used. `fetch` also needs `globalThis` as
    // `this`.
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
  }
}

/** The address without the version and without a slash at its end. */
function rootOf({ baseUrl, allowInsecureHttp }: ClientOptions, apiVersion: string): string {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) {
    throw invalid('baseUrl must be an absolute URL, such as https://api.example.com/v1')
  }
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid('baseUrl must be an https: URL')
  }
  if (url.username || url.password) {
    throw invalid('baseUrl must not contain credentials: use apiKey or auth')
  }
  if (url.search || url.hash) {
    throw invalid('baseUrl must not have a query or a fragment')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureHttp !== true) {
    throw new UsageError(
      'insecure_base_url',
      'baseUrl is http: on another machine, so that the credential would be sent in the clear. Use https:, or set ' +
        'allowInsecureHttp: true in a network that you trust',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  const version = /\/v\d+$/.exec(path)?.[0]
  if (version === undefined) {
    return url.origin + path
  }
  if (version !== `/${apiVersion}`) {
    throw invalid(`baseUrl ends in ${version}, and apiVersion is ${apiVersion}`)
  }
  return url.origin + path.slice(0, -version.length)
}

function authOf({ apiKey, auth }: ClientOptions): Auth {
  if (apiKey !== undefined && auth !== undefined) {
    throw invalid('give apiKey or auth, not both')
  }
  if (auth !== undefined) {
    if (typeof auth !== 'function') {
      throw invalid('auth must be a function that gives headers')
    }
    return auth
  }
  if (typeof apiKey !== 'string') {
    throw invalid('apiKey must be a string: is the environment variable set?')
  }
  // The message does not contain the value, because it may be a real key followed by a line break.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid('apiKey must be visible ASCII without white space')
  }
  if (apiKey === 'undefined' || apiKey === 'null') {
    throw invalid('apiKey is the text of a missing value')
  }
  return () => ({ authorization: `Bearer ${apiKey}` })
}
