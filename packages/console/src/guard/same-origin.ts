import { Problem } from '../problem.js'

/**
 * Rejects a request that a page of another site made. Browsers send `Sec-Fetch-Site` over HTTPS and to loopback. Over plain
 * HTTP on a private network they do not, so there the Origin must be the host that was asked. A proxy may change the Host;
 * no page can set `X-Forwarded-Host` on a request to another site without a preflight, which the console never permits.
 *
 * An act needs one of the two headers. A view may come without them, as from a person who types the address.
 */
export function requireSameOrigin(request: Request, kind: 'act' | 'view'): void {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) {
    if (site === 'same-origin' || (kind === 'view' && site === 'none')) {
      return
    }
    throw foreign
  }
  const origin = request.headers.get('origin')
  if (origin === null) {
    if (kind === 'act') {
      throw foreign
    }
    return
  }
  const host = URL.canParse(origin) ? new URL(origin).host : ''
  const asked = [request.headers.get('host'), request.headers.get('x-forwarded-host')]
  if (host === '' || !asked.includes(host)) {
    throw foreign
  }
}

const foreign = new Problem(
  'foreign_origin',
  'Only the page of this console may do this. A program sends the header Sec-Fetch-Site: same-origin.',
)
