import { bytesOf, Clip, Code, hexDump, isText, prettyJson, useSignal } from 'webhook-inbox-ui'

const forms = ['Pretty', 'Text', 'Hex'] as const

/** Bytes of a body that a hex dump shows. */
const mostInHex = 16 * 1024

interface BodyViewProps {
  readonly base64: string
  /** What it is the body of, for the label. */
  readonly of: string
  readonly isTruncated?: boolean
}

/** A body: laid out, as text, or as its exact bytes. */
export function BodyView({ base64, of, isTruncated = false }: BodyViewProps) {
  const form = useSignal<(typeof forms)[number]>('Pretty')
  const bytes = bytesOf(base64)
  if (bytes.length === 0) {
    return <p class="faint">The {of} has no body.</p>
  }
  const text = new TextDecoder().decode(bytes)
  const shown = {
    Pretty: () => prettyJson(text),
    Text: () => text,
    Hex: () => hexDump(bytes.subarray(0, mostInHex)),
  }
  return (
    <div class="stack tight">
      <div class="bar">
        <fieldset class="chips plain" aria-label={`Form of the body of the ${of}`}>
          {forms.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={form.value === each}
              onClick={() => {
                form.value = each
              }}
            >
              {each}
            </button>
          ))}
        </fieldset>
        <span class="faint end">{factsOf(bytes, isTruncated)}</span>
        <Clip text={text} what={`the body of the ${of}`} />
      </div>
      <Code label={`Body of the ${of}`}>{shown[form.value]()}</Code>
    </div>
  )
}

function factsOf(bytes: Uint8Array, isTruncated: boolean): string {
  const size = `${bytes.length.toLocaleString('en')} bytes`
  const facts = [isTruncated ? `the first ${size}` : size, !isText(bytes) && 'not plain text']
  return facts.filter(Boolean).join(', ')
}
