import { createHash } from 'node:crypto'
import { addSlash, reloadSoon } from './page-scripts.js'

const hashes = [addSlash, reloadSoon].map(
  (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
)

/** The page loads and calls only what its own server has, and no page may frame it. */
const policy = [
  "default-src 'none'",
  `script-src 'self' ${hashes.join(' ')}`,
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'Content-Security-Policy': policy,
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** Sets the headers that every response of the console has, rejections included. */
export function withHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(headers)) {
    response.headers.set(name, value)
  }
  return response
}
