import { UsageError } from '../exit.js'

/** The URL of an endpoint. Throws `UsageError` for anything but http and https. */
export function readUrl(name: string, given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    return url
  }
  throw new UsageError(`${name} must be an http or https URL, such as http://127.0.0.1:3000/webhooks`)
}
