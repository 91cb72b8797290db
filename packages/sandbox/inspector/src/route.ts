import { partsOfHash } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'

/** What the page shows. It is the address, so that every view is a link. */
export interface Route {
  readonly page: 'deliveries' | 'bank'
  /** The delivery or the transfer that is open. */
  readonly id: string | undefined
  /** The open tab. */
  readonly tab: string | undefined
  /** The filter of the list. */
  readonly query: string
}

function parse(hash: string): Route {
  const {
    parts: [page, id, tab],
    query,
  } = partsOfHash(hash)
  return {
    page: page === 'bank' ? 'bank' : 'deliveries',
    id,
    tab,
    query: query.get('q') ?? '',
  }
}

export const route = signal(parse(location.hash))

addEventListener('hashchange', () => {
  route.value = parse(location.hash)
})

/** The address of a view. What is not given stays as it is, except for an id and a tab of another page. */
export function hrefOf(change: Partial<Route>): string {
  const isSamePage = change.page === undefined || change.page === route.value.page
  const { page, id, tab, query } = {
    ...route.value,
    ...(!isSamePage && { id: undefined, tab: undefined }),
    ...change,
  }
  const path = [page, id, id && tab].filter((part) => part !== undefined).map(encodeURIComponent)
  return `#/${path.join('/')}${query && `?${new URLSearchParams({ q: query })}`}`
}

/** Shows another view. */
export function go(change: Partial<Route>): void {
  location.hash = hrefOf(change)
}

/** As {@link go}, without a step in the history: for what changes with each key. */
export function amend(change: Partial<Route>): void {
  history.replaceState(null, '', hrefOf(change))
  route.value = parse(location.hash)
}
