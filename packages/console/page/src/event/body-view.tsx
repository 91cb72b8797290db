import { useState } from 'preact/hooks'
import { bytesOf, Clip, Code, prettyJson } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { Body } from '../../../src/wire.js'
import { Shown, useView } from '../use-view.js'

export function BodyView({ id }: { readonly id: string }) {
  const view = useView<Body>(`events/${pathPart(id)}/body`)
  return (
    <Shown view={view} what="the body">
      {(body) => <ShownBody body={body} />}
    </Shown>
  )
}

/** A body laid out, or exactly as it was signed. */
export function ShownBody({ body, title = 'Body' }: { readonly body: Body; readonly title?: string }) {
  const [isExact, setIsExact] = useState(false)
  const { text, base64, isMasked, withheld } = body
  if (text === null) {
    return (
      <p class="faint">
        {title}:{' '}
        {withheld === 'not_text' && base64 !== undefined
          ? hexOf(base64)
          : withheldWords[withheld ?? 'not_text']}
      </p>
    )
  }
  return (
    <section class="stack tight">
      <div class="bar">
        <h3>{title}</h3>
        {isMasked && <span class="faint">A mask is on: this may not be exactly what was signed.</span>}
        <button type="button" class="quiet end" aria-pressed={isExact} onClick={() => setIsExact(!isExact)}>
          {isExact ? 'Lay out' : 'As received'}
        </button>
        {/* With a mask it would be another body. */}
        {!isMasked && <Clip text={text} what="the body" />}
      </div>
      <Code label={title}>{isExact ? text : prettyJson(text)}</Code>
    </section>
  )
}

const withheldWords = {
  not_text: 'not text, so it cannot be masked and is not shown.',
  not_json: 'not JSON, so it cannot be masked and is not shown.',
  too_complex: 'it has too many values to mask, so it is not shown.',
} as const

const hexOf = (base64: string) =>
  `not text. It begins with the bytes ${[...bytesOf(base64).slice(0, 32)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}`
