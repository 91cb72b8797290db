import { UsageError } from '../exit.js'

/**
 * The event with fields set: `data.transferId=tr_9`. A valid JSON value is parsed, anything else is text; `"9"` is the text 9.
 * Throws `UsageError` for a path through something that is not an object.
 */
export function setFields(
  event: Record<string, unknown>,
  fields: readonly string[],
): Record<string, unknown> {
  const changed = structuredClone(event)
  for (const field of fields) {
    const at = field.indexOf('=')
    const path = field.slice(0, at).split('.')
    if (at < 1 || path.includes('')) {
      throw new UsageError('--set must be a path and a value: --set data.transferId=tr_9')
    }
    assign(changed, path, parseValue(field.slice(at + 1)))
  }
  return changed
}

function assign(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let target = root
  for (const [depth, name] of path.entries()) {
    const isLast = depth === path.length - 1
    if (isLast) {
      define(target, name, value)
    } else {
      if (!Object.hasOwn(target, name)) {
        define(target, name, {})
      }
      const next = target[name]
      if (typeof next !== 'object' || next === null) {
        throw new UsageError(
          `--set ${path.join('.')}: ${path.slice(0, depth + 1).join('.')} is not an object`,
        )
      }
      target = next as Record<string, unknown>
    }
  }
}

/** An assignment to `__proto__` would change the prototype instead of the event. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
