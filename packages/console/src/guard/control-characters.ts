import { Problem } from '../problem.js'

/** The conditions of an address that name something. A text to search for may contain a tab. */
const names = ['id', 'type', 'group', 'event', 'run', 'cursor']

/** Returns the value. Throws a `Problem` for a control character, which no id has, and which Postgres does not store. */
export function withoutControl(name: string, value: string): string {
  if (/\p{Cc}/u.test(value)) {
    throw new Problem('invalid_request', `${name} must not contain a control character`)
  }
  return value
}

/** The conditions of an address. Throws a `Problem` as {@link withoutControl} does. */
export function queryOf(url: string): URLSearchParams {
  const query = new URL(url).searchParams
  for (const name of names) {
    withoutControl(name, query.get(name) ?? '')
  }
  return query
}
