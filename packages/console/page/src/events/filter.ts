import { givenIn, hrefOf } from '../route.js'

export const conditions = [
  'state',
  'type',
  'resource',
  'id',
  'text',
  'body',
  'group',
  'since',
  'until',
] as const

/** The conditions of the address that the API knows. */
export const filterOf = (query: URLSearchParams): [string, string][] => givenIn(query, conditions)

/** The address of the list with one condition of a filter changed. */
export const withCondition = (query: URLSearchParams, name: string, value: string): string => {
  const rest = filterOf(query).filter(([given]) => given !== name)
  return hrefOf('events', undefined, [...rest, [name, value]])
}
