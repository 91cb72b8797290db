/** The parts of the address behind `#/`, and its query. */
export function partsOfHash(hash: string): { parts: (string | undefined)[]; query: URLSearchParams } {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return {
    parts: path.split('/').map((part) => decode(part) || undefined),
    query: new URLSearchParams(search),
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
