import type { Advice as Texts } from '../../src/wire.js'
import { Term } from './term.js'

/** Why a failure of a code usually happens, and what to do about it. */
export function Advice({ of }: { readonly of: Texts | undefined }) {
  return of ? (
    <dl class="life">
      <Term name="Likely cause">{of.cause}</Term>
      <Term name="What to do">{of.fix}</Term>
    </dl>
  ) : null
}
