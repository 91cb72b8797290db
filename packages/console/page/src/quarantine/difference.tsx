import { diffLines, isolated, Note, prettyJson } from 'webhook-inbox-ui'
import { Section } from '../section.js'

const signs = { same: ' ', left: '−', right: '+' }
const words = { same: '', left: 'in the stored event:', right: 'in the delivery:' }

/** What a delivery says otherwise than the event that is kept. Of a masked value it says only that it differs. */
export function Difference({
  kept,
  given,
  masked,
}: {
  readonly kept: string
  readonly given: string
  /** The paths of masked values that differ. */
  readonly masked: readonly string[]
}) {
  const lines = diffLines(prettyJson(kept).split('\n'), prettyJson(given).split('\n'))
  return (
    <Section title="Stored event (−) and this delivery (+)">
      {masked.length > 0 && (
        <Note outcome="quarantined">
          <p>These values are masked, and they differ:</p>
          <ul>
            {masked.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </Note>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
      <section class="code" tabIndex={0} aria-label="Difference">
        <ol class="difference">
          {lines.map(({ side, text }, at) => (
            <li key={at} data-side={side}>
              <span class="unseen">{words[side]} </span>
              <span aria-hidden="true">{signs[side]} </span>
              {isolated(text)}
            </li>
          ))}
        </ol>
      </section>
    </Section>
  )
}
