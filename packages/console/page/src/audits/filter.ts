export const conditions = ['actor', 'action', 'event', 'since', 'until', 'run', 'single'] as const

/** The conditions of the address that the API knows. */
export const filterOf = (query: URLSearchParams): [string, string][] =>
  conditions.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value] as [string, string]] : []
  })
