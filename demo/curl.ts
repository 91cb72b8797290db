import type { SignedBody } from 'webhook-inbox/testing'
import { clock, type Screen } from './screen.js'

/** How long the printed command is accepted, in seconds: the tolerance of the receiver. */
const toleranceSeconds = 300

/** Prints a command that delivers a signed event. */
export function showCurl(show: Screen, url: string, { headers, body }: SignedBody): void {
  const until = clock(new Date(Date.now() + toleranceSeconds * 1000))
  show.text(
    `Deliver one yourself: paste this into another terminal before ${until}. Pasted again it is a duplicate; ` +
      'with a character of the body changed it is rejected. Ctrl-C ends the demo and shows the books.',
  )
  const flags = Object.entries(headers)
    .filter(([name]) => name !== 'user-agent')
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  show.verbatim(
    [`curl -i ${quote(url)}`, ...flags, `--data-binary ${quote(body.toString())}`].join(' \\\n  '),
  )
  show.heading()
}

/** Quotes text for a shell. Between single quotes only the single quote itself is special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
