import { existsSync } from 'node:fs'

// The headless shell renders the same pages with less work, because it has no window to draw them in.
const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser of the tests: what `CHROMIUM` names, or an installed one. */
export function chromiumPath(): string {
  const path = places.find((place) => place && existsSync(place))
  if (!path) {
    throw new Error('The tests need Chromium: run npm run servers, or set CHROMIUM to its path.')
  }
  return path
}
