import { givenIn } from '../route.js'

const conditions = ['actor', 'action', 'event', 'since', 'until', 'run', 'single']

/** The conditions of the address that the API knows. */
export const filterOf = (query: URLSearchParams): [string, string][] => givenIn(query, conditions)
