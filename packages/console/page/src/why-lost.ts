import { signal } from 'webhook-inbox-ui/signals'
import type { Lost, ProblemCode, ProblemDocument } from '../../src/wire.js'
import { request } from './request.js'
import { askWhetherOut, type Out } from './signed-out.js'

/** Which side fails: the program or the person, or what the program says. */
export type WhyLost = 'program' | Out | ProblemCode

/** Why the page is not connected; `undefined` while it is, and until it is known. */
export const whyLost = signal<WhyLost | undefined>(undefined)

/** The code of a problem document or of the last event of a stream. */
export const codeOf = (json: string): ProblemCode | undefined =>
  (JSON.parse(json) as Partial<Lost | ProblemDocument>).code

let isAsking = false

/** Asks the program why the stream ended. The browser does not tell what a stream was answered. */
export async function askWhyLost(): Promise<void> {
  if (isAsking) {
    return
  }
  isAsking = true
  const asked = whyLost.value
  // Together, because each may take its whole time.
  const [out, side] = await Promise.all([askWhetherOut(), whyOfStream()])
  isAsking = false
  // It may be connected again by now.
  if (whyLost.value === asked) {
    whyLost.value = out ?? side
  }
}

async function whyOfStream(): Promise<WhyLost | undefined> {
  try {
    const response = await request('stream')
    if (response.ok) {
      void response.body?.cancel()
      return undefined
    }
    return codeOf(await response.text())
  } catch {
    return 'program'
  }
}
