import { codes } from 'webhook-inbox'

/** The fact behind a code as a sentence; `undefined` for a code of another version. */
export const factOf = (code: string): string | undefined => {
  const fact = entryOf(code)?.fact
  return fact && `${fact.charAt(0).toUpperCase()}${fact.slice(1)}`
}

const entryOf = (code: string) => (Object.hasOwn(codes, code) ? codes[code as keyof typeof codes] : undefined)

/** Why a failure of this code usually happens, and what to do about it. */
export function Advice({ code }: { readonly code: string }) {
  const entry = entryOf(code)
  return entry ? (
    <dl class="life">
      <dt>Likely cause</dt>
      <dd>{entry.cause}</dd>
      <dt>What to do</dt>
      <dd>{entry.fix}</dd>
    </dl>
  ) : null
}
