import { Note } from '../../ui/outcome.js'

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
