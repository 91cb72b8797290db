import { Note } from 'webhook-inbox-ui'

/** How the event that a delivery becomes differs from what was sent. */
export function Warnings({ texts }: { readonly texts: readonly string[] }) {
  return texts.length > 0 ? (
    <Note outcome="quarantined">
      <p>The handler gets the event as the receiver reads it:</p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Note>
  ) : null
}
