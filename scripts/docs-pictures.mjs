/**
 * Puts pictures of the console into the documents. `npm run docs:pictures` takes them in the tests of each view, in a real
 * browser, with the events of a test. This makes them small: a page has few colors.
 */
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

const from = new URL('../reports/console/', import.meta.url)
const to = new URL('../docs/images/', import.meta.url)

const pictures = {
  'overview-desktop-light': 'console-overview',
  'failure-desktop-light': 'console-failure',
  'event-desktop-dark': 'console-event',
  'outcome-desktop-light': 'console-outcome',
}
const mostBytes = 120_000

for (const [source, target] of Object.entries(pictures)) {
  const picture = sharp(fileURLToPath(new URL(`${source}.png`, from)))
  const { size } = await picture
    .png({ palette: true, colors: 128, effort: 10, compressionLevel: 9 })
    .toFile(fileURLToPath(new URL(`${target}.png`, to)))
  console.log(`docs/images/${target}.png has ${size} bytes`)
  if (size > mostBytes) {
    throw new Error(`${target}.png has more than ${mostBytes} bytes`)
  }
}
