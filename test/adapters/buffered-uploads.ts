import type { Deviation } from './suite.js'

/** When a layer before the route reads the whole upload, the receiver gets only complete uploads. */
export const bufferedUploads = (who: string): Deviation => ({
  reason: `${who} reads the whole body before the receiver is called`,
  tests: [
    'an endless upload gets a response and is cut off',
    'a refused upload that stalls loses its connection',
    'a sender that waits for 100 Continue gets the refusal',
    'an upload that is aborted (declared) reaches no store and harms nobody',
    'an upload that is aborted (chunked) reaches no store and harms nobody',
    'a slow body (declared) gets 408 when its time is up, and the connection closes',
    'a slow body (chunked) gets 408 when its time is up, and the connection closes',
  ],
})
