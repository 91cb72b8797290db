/**
 * What is wrong with the address of a webhook endpoint, or undefined: it must be an `https:` URL without credentials;
 * `http:` passes on loopback alone, where the service runs on the same machine.
 */
export function webhookUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) {
    return 'must be an absolute URL'
  }
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return 'must be an https: URL'
  }
  if (url.username || url.password) {
    return 'must not contain credentials'
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return 'must be an https: URL (http: on loopback alone)'
  }
  return undefined
}

/** Whether a host of a parsed URL is this machine. `URL` has written octal, hex and short addresses in full. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
