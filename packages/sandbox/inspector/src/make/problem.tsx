import { Note } from 'webhook-inbox-ui'

/** Why a form did nothing. */
export function ProblemOf({ error }: { readonly error: string }) {
  return (
    <div role="alert">
      {error && (
        <Note outcome="failed">
          <p>{error}</p>
        </Note>
      )}
    </div>
  )
}
