import { route } from '../route.js'
import { deliveriesOf } from '../state-words.js'
import { checkedIn, isRunning, verification, verifyAllHref, verifyAllId } from './verification.js'

/** Says on every other view that a check of many deliveries is under way. */
export function VerifyBar() {
  const found = verification.value
  if (!found || !isRunning(found) || route.value.id === verifyAllId) {
    return null
  }
  const { code, count, isCapped } = found
  return (
    <aside class="undo bar" aria-label="Under way">
      <p>
        Verifying again: {checkedIn(found).toLocaleString('en')} of {deliveriesOf(count, isCapped)}.
      </p>
      <a class="button" href={verifyAllHref(code)}>
        Show
      </a>
    </aside>
  )
}
