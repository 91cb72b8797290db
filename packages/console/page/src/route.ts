import { partsOfHash } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'

export type PageName = 'overview' | 'failures' | 'events' | 'quarantine' | 'operations' | 'audits'

/** What the page shows. It is the address, so that every view is a link. */
export interface Route {
  readonly page: PageName
  /** What is open: an event, a group, a delivery or a run. */
  readonly id: string | undefined
  /** The filter of the list, or the window of the overview. */
  readonly query: URLSearchParams
}

export const pages: readonly (readonly [name: PageName, title: string])[] = [
  ['overview', 'Overview'],
  ['failures', 'Failures'],
  ['events', 'Events'],
  ['quarantine', 'Quarantine'],
  ['operations', 'Operations'],
  ['audits', 'Audits'],
]

function parse(hash: string): Route {
  const {
    parts: [page, id],
    query,
  } = partsOfHash(hash)
  return {
    page: pages.find(([name]) => name === page)?.[0] ?? 'overview',
    id,
    query,
  }
}

export const route = signal(parse(location.hash))

addEventListener('hashchange', () => {
  route.value = parse(location.hash)
})

/** The address of a view. Blank conditions are left out. */
export function hrefOf(page: PageName, id?: string, query: Iterable<readonly [string, string]> = []): string {
  const search = new URLSearchParams([...query].filter(([, value]) => value !== '').map(([a, b]) => [a, b]))
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`
  return `#/${path}${search.size > 0 ? `?${search}` : ''}`
}

/** Which of these conditions the address has. */
export const givenIn = (query: URLSearchParams, names: readonly string[]): [string, string][] =>
  names.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value] as [string, string]] : []
  })

/** Shows another view. */
export function go(href: string): void {
  location.hash = href
}
