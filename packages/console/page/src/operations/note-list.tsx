import { Note } from 'webhook-inbox-ui'

/** What to know before an operation, one panel each. */
export const NoteList = ({ notes }: { readonly notes: readonly string[] }) => (
  <>
    {notes.map((text) => (
      <Note key={text} outcome="quarantined">
        <p>{text}</p>
      </Note>
    ))}
  </>
)
