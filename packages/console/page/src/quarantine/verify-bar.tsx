import { CloseButton } from 'webhook-inbox-ui'
import { route } from '../route.js'
import { closeVerification, isRunning, verification, verifyAllHref, verifyAllId } from './verification.js'
import { checkedWords, verificationWords } from './verification-view.js'

/** Shows on every other view how far a check of many deliveries is, and after its end what it came to, until it is closed. */
export function VerifyBar() {
  const found = verification.value
  return found && route.value.id !== verifyAllId ? (
    <aside class="undo bar" aria-label="Verify again">
      <p>
        Verify again: {verificationWords[found.state][1]}. {checkedWords(found)}
      </p>
      <a class="button" href={verifyAllHref(found.code)}>
        Show
      </a>
      {!isRunning(found) && <CloseButton onClick={closeVerification} />}
    </aside>
  ) : null
}
