import { useState } from 'preact/hooks'
import { Code, clip, Dialog, download, Note } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { Snippet } from '../../../src/wire.js'
import { may } from '../me.js'
import { Shown, useView } from '../use-view.js'

const forms = [
  ['curl', 'A curl command'],
  ['vitest', 'A vitest test'],
  ['fixture', 'A fixture for the sandbox'],
] as const

type Form = (typeof forms)[number][0]

/** Gives an event as a snippet for use elsewhere: with fields redacted, and signed anew with the secret of the test kit. */
export function SnippetButton({ id }: { readonly id: string }) {
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
        <Dialog title={`Copy ${id}`} onClose={() => setIsOpen(false)}>
          <Choose id={id} />
        </Dialog>
      )}
    </>
  )
}

function Choose({ id }: { readonly id: string }) {
  const [form, setForm] = useState<Form>('curl')
  const [given, setGiven] = useState('')
  const [redact, setRedact] = useState('')
  const wanted = given.replace(/\s/g, '')
  const query = new URLSearchParams({ as: form, redact })
  const view = useView<Snippet>(`events/${pathPart(id)}/snippet?${query}`)
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
      <form
        class="bar audit-filter"
        onSubmit={(event) => {
          event.preventDefault()
          setRedact(wanted)
        }}
      >
        <label class="field grow">
          <span>Fields to redact, with commas between</span>
          <input
            placeholder="data.customer.name, data.phone"
            spellcheck={false}
            value={given}
            onInput={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        </label>
        <button type="submit">Redact</button>
      </form>
      <Shown view={view} what="the snippet">
        {({ text, fileName, unmatched = [] }) => (
          <>
            {unmatched.length > 0 && (
              <Note outcome="failed">
                <p>The body has nothing to redact at {unmatched.join(', ')}.</p>
              </Note>
            )}
            <div class="bar">
              <button
                type="button"
                class="primary"
                disabled={wanted !== redact}
                onClick={() => void clip(text, 'the text')}
              >
                Copy
              </button>
              <button
                type="button"
                disabled={wanted !== redact}
                onClick={() => download(fileName, text, 'text/plain')}
              >
                Download
              </button>
              {wanted !== redact && <span class="faint">Press Redact first.</span>}
            </div>
            <Code label="What is copied">{text}</Code>
          </>
        )}
      </Shown>
    </div>
  )
}
