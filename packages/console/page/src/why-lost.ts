import { signal } from '@preact/signals'
import type { ProblemDocument } from '../../src/wire.js'
import { request } from './request.js'
import { isSignedOut } from './signed-out.js'

/** Which side fails. `right`: the person may not follow the changes. */
export type WhyLost = 'program' | 'store' | 'session' | 'right'

/** Why the page is not connected; `undefined` while it is, and until it is known. */
export const whyLost = signal<WhyLost | undefined>(undefined)

let isAsking = false

/** Asks the program why the stream ended. The browser does not tell what a stream was answered. */
export async function askWhyLost(): Promise<void> {
  if (isAsking) {
    return
  }
  isAsking = true
  const asked = whyLost.value
  const found = (await isSignedOut()) ? 'session' : await whyOfStream()
  isAsking = false
  // It may be connected again by now.
  if (whyLost.value === asked) {
    whyLost.value = found
  }
}

async function whyOfStream(): Promise<WhyLost | undefined> {
  try {
    const response = await request('stream')
    if (response.ok) {
      void response.body?.cancel()
      return undefined
    }
    const { code } = (await response.json()) as Partial<ProblemDocument>
    return code === 'store_unavailable' ? 'store' : code === 'forbidden' ? 'right' : 'program'
  } catch {
    return 'program'
  }
}
