import { ConfigurationError } from 'webhook-inbox'

/** The fields of an event, in the order of the interface. */
const fields = ['id', 'type', 'environment', 'product', 'createdAt', 'created_at', 'data']

/**
 * Throws `ConfigurationError` `invalid_option` for a path that can hide nothing, because the body would then be shown
 * without a mask.
 */
export function checkMaskPaths(paths: readonly string[]): void {
  for (const path of paths) {
    const parts = path.split('.')
    if (!isField(parts[0] as string) || parts.some(isOtherSyntax)) {
      throw new ConfigurationError(
        'invalid_option',
        `mask has the path ${path}, which hides nothing; fix: ${suggested(path)}. A path has keys with dots between them, and * for any key or index. It begins with ${fields.join(', ')} or *`,
      )
    }
  }
}

/** As a mask compares keys: `created_at` and `createdAt` are one. */
const isField = (part: string) =>
  part === '*' || fields.some((field) => part.replaceAll('_', '').toLowerCase() === field.toLowerCase())

/** What other languages of paths write: `a..b`, `**`, `items[0]` and `items[]`. */
const isOtherSyntax = (part: string) =>
  part === '' || part === '**' || part === '$' || /\[[^\]]*\]$/.test(part)

/** The path that was probably meant: `data.phone` for `phone`, `$.data.phone` and `/data/phone`. */
function suggested(path: string): string {
  const parts = path
    .replaceAll('/', '.')
    .replace(/\[['"]?([^\]'"]*)['"]?\]/g, (_, key: string) => `.${key || '*'}`)
    .split('.')
    .filter((part) => part !== '' && part !== '$')
    .map((part) => (part === '**' ? '*' : part))
  return (parts[0] !== undefined && isField(parts[0]) ? parts : ['data', ...parts]).join('.')
}
