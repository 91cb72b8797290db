import type { Advice as Texts } from '../../src/wire.js'

/** Why a failure of a code usually happens, and what to do about it. */
export function Advice({ of }: { readonly of: Texts | undefined }) {
  return of ? (
    <dl class="life">
      <dt>Likely cause</dt>
      <dd>{of.cause}</dd>
      <dt>What to do</dt>
      <dd>{of.fix}</dd>
    </dl>
  ) : null
}
