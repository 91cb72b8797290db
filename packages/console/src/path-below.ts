/** The path of a request below the place where the console is mounted, without its query; `undefined` outside of it. */
export function pathBelow(mounted: string, url: string): string | undefined {
  const path = url.split('?', 1)[0] ?? ''
  if (path === mounted || path === '') {
    return '/'
  }
  return path.startsWith(`${mounted}/`) ? path.slice(mounted.length) : undefined
}
