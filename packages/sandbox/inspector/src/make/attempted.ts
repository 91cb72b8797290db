import { announce } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'

/** A form that sends something: whether it is under way, and what went wrong. */
export function attempted() {
  const isBusy = signal(false)
  const error = signal('')
  return {
    isBusy,
    error,
    /** Runs `work` and announces the sentence that it resolves to. */
    async run(work: () => Promise<string>): Promise<void> {
      isBusy.value = true
      error.value = ''
      try {
        announce(await work())
      } catch (problem) {
        error.value = (problem as Error).message
      } finally {
        isBusy.value = false
      }
    },
  }
}
