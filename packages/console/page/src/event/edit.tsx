import { useState } from 'preact/hooks'
import { announce, Dialog, escapedJson, Note, prettyJson } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { Body, EventDetail } from '../../../src/wire.js'
import { act } from '../call.js'
import { useDraft } from '../draft.js'
import { Held } from '../held.js'
import { Known } from '../known.js'
import { changes } from '../live.js'
import { may } from '../me.js'
import { closeDialog, openDialog } from '../open-dialog.js'
import { ReasonForm } from '../reason-form.js'
import { go, hrefOf } from '../route.js'
import { Shown, useView } from '../use-view.js'

/** Runs a changed copy of an event as a new event. The button is there for who may read the body and change it. */
export function EditAndReplay({ event }: { readonly event: EventDetail }) {
  const { id } = event
  if (!may('events:edit') || !may('bodies:read')) {
    return null
  }
  return (
    <button
      type="button"
      data-key="e"
      aria-keyshortcuts="e"
      onClick={() =>
        openDialog(
          <Dialog title={`Edit and replay ${id}`} onClose={closeDialog}>
            <Loaded event={event} />
          </Dialog>,
        )
      }
    >
      Edit and replay… <kbd>e</kbd>
    </button>
  )
}

function Loaded({ event }: { readonly event: EventDetail }) {
  const view = useView<Body>(`events/${pathPart(event.id)}/body`)
  return (
    <Shown view={view} what="the body">
      {({ text, isMasked }) =>
        text === null || isMasked ? (
          <>
            <p>
              {isMasked
                ? 'Some values are masked here, and a copy would keep the masks.'
                : 'Its body is not text.'}{' '}
              Edit it from the command line:
            </p>
            <pre>webhook-inbox inbox replay-edited {event.id} FILE</pre>
          </>
        ) : (
          <Edit event={event} original={escapedJson(prettyJson(text))} />
        )
      }
    </Shown>
  )
}

function Edit({ event, original }: { readonly event: EventDetail; readonly original: string }) {
  const { id, state, generation, copies = [], before } = event
  const draft = `edit ${id}`
  const [body, setBody] = useDraft(draft, original)
  const [isKnown, setIsKnown] = useState(false)
  const problem = problemOf(body)
  const danger = dangerOf(event)
  return (
    <>
      <p>
        The copy is a new event with its own id, checked like any other. It has no signature of the sender.
        This event does not change
        {state === 'dead' ? ': discard it if the copy replaces it.' : '.'}
      </p>
      <Held types={[event.type]} resource={event.resource} />
      {before.edit && (
        <Note outcome="quarantined">
          <p>{before.edit}</p>
        </Note>
      )}
      {danger && (
        <Note outcome="failed">
          <p>{danger}</p>
        </Note>
      )}
      <ReasonForm
        button="Run the copy"
        draft={draft}
        blocked={
          problem
            ? 'Correct the body first.'
            : body === original
              ? 'Change the body first.'
              : danger && !isKnown
                ? 'Confirm first that both run.'
                : undefined
        }
        onSubmit={async (reason) => {
          const child = await act<{ readonly id: string }>(`events/${pathPart(id)}/replay-edited`, {
            body,
            reason,
            seen: { state, generation },
            copies,
          })
          announce(`The copy ${child.id} of ${id} runs.`)
          setBody(original)
          changes.value += 1
          closeDialog()
          go(hrefOf('events', child.id))
        }}
      >
        <label class="field">
          <span>Body{body === original && ', not changed yet'}</span>
          <textarea
            class="mono"
            rows={Math.min(18, original.split('\n').length + 2)}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
          {problem && <span class="wrong">{problem}</span>}
        </label>
        {danger && <Known text="I know that both run." isKnown={isKnown} onChange={setIsKnown} />}
      </ReasonForm>
    </>
  )
}

/** Why the copy would repeat the effect of the event; `undefined` if it does not. */
function dangerOf({ state, copies = [] }: EventDetail): string | undefined {
  if (state === 'accepted' || state === 'failed') {
    return 'This event still runs by itself, and the copy runs as well. Give this event up first if the copy replaces it.'
  }
  if (state === 'done') {
    return 'This event is done. The copy runs as well, so the handler runs a second time.'
  }
  return copies.length > 0
    ? 'An edited copy of this event was run before. This copy runs as well.'
    : undefined
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}
