/** Types without a handler that get a label of their own. A sender decides how many types there are. */
const mostOthers = 100

/** A sender decides how long a type is. A longer one without a handler would fill the memory of a backend. */
const longestLabel = 100

/**
 * Returns a function that makes a label of an event type. A type with a handler is its own label, and so are the first
 * hundred others. Every other one is `_OTHER`.
 */
export function typeLabels(handled: Iterable<string>): (type: string) => string {
  const own = new Set(handled)
  const others = new Set<string>()
  return (type) => {
    if (own.has(type) || others.has(type)) {
      return type
    }
    if (others.size >= mostOthers || type.length > longestLabel) {
      return '_OTHER'
    }
    others.add(type)
    return type
  }
}
