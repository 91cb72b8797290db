import { useState } from 'preact/hooks'
import { asTest, Code, copyText, Dialog, downloadFixture, quoted } from 'webhook-inbox-ui'
import type { Body, EventDetail } from '../../../src/wire.js'
import { may } from '../me.js'
import { Shown, useView } from '../use-view.js'
import { redact } from './redact.js'

const forms = [
  ['curl', 'A curl command'],
  ['test', 'A vitest test'],
  ['fixture', 'A file for webhook-inbox send'],
] as const

type Form = (typeof forms)[number][0]

/** Copies an event for use elsewhere: with fields redacted, and signed anew where it is sent. */
export function CopyAs({ event }: { readonly event: EventDetail }) {
  const [isOpen, setIsOpen] = useState(false)
  if (!may('bodies:read')) {
    return null
  }
  return (
    <>
      <button type="button" data-key="c" aria-keyshortcuts="c" onClick={() => setIsOpen(true)}>
        Copy as… <kbd>c</kbd>
      </button>
      {isOpen && (
        <Dialog title={`Copy ${event.id}`} onClose={() => setIsOpen(false)}>
          <Loaded event={event} />
        </Dialog>
      )}
    </>
  )
}

function Loaded({ event }: { readonly event: EventDetail }) {
  const view = useView<Body>(`events/${encodeURIComponent(event.id)}/body`)
  return (
    <Shown view={view} what="the body">
      {({ text }) =>
        text === null ? <p>Its body is not text.</p> : <Choose event={event} original={text} />
      }
    </Shown>
  )
}

function Choose({ event, original }: { readonly event: EventDetail; readonly original: string }) {
  const [form, setForm] = useState<Form>('curl')
  const [given, setGiven] = useState('')
  const paths = given.split(/[\s,]+/).filter(Boolean)
  const body = paths.length > 0 ? redact(original, paths) : original
  const text = { curl: () => asCurl(event, body), test: () => testOf(event, body), fixture: () => body }[
    form
  ]()
  return (
    <div class="stack">
      <fieldset class="choice bar">
        <legend class="label">As</legend>
        {forms.map(([name, words]) => (
          <label key={name} class="check">
            <input type="radio" name="form" checked={name === form} onChange={() => setForm(name)} />
            {words}
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>Fields to redact, with commas between</span>
        <input
          placeholder="data.customer.name, data.phone"
          spellcheck={false}
          value={given}
          onInput={({ currentTarget }) => setGiven(currentTarget.value)}
        />
      </label>
      <div class="bar">
        <button type="button" class="primary" onClick={() => void copyText(text, 'the text')}>
          Copy
        </button>
        {form === 'fixture' && (
          <button type="button" onClick={() => downloadFixture(event.id, body)}>
            Download
          </button>
        )}
      </div>
      <Code label="What is copied">{text}</Code>
    </div>
  )
}

const testOf = ({ id, type }: EventDetail, body: string) =>
  asTest(id, type, `Buffer.from(${JSON.stringify(body)})`)

/** A shell command that signs the body with the secret of its environment. The page never has a secret. */
const asCurl = ({ id }: EventDetail, body: string) => `body=${quoted(body)}
t=$(date +%s)
v1=$(printf '%s.%s' "$t" "$body" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/^.* //')
curl -i "$WEBHOOK_URL" \\
  -H 'Content-Type: application/json' \\
  -H ${quoted(`Service-Event-Id: ${id}`)} \\
  -H "Service-Signature: t=$t,v1=$v1" \\
  --data-binary "$body"`
