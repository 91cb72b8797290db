import type { Deviation } from './suite.js'

/** When a layer before the route reads the whole upload, the receiver gets only complete uploads. */
export const bufferedUploads = (who: string): Deviation => ({
  reason: `${who} reads the whole body before the receiver is called`,
  tests: [
    'an endless upload gets a response and is cut off',
    'a rejected upload that stalls loses its connection',
    'a sender that waits for 100 Continue gets the rejection',
    'an aborted upload (declared) calls no store, and the next delivery works',
    'an aborted upload (chunked) calls no store, and the next delivery works',
    'a slow body (declared) gets 408 when its time is up, and the connection closes',
    'a slow body (chunked) gets 408 when its time is up, and the connection closes',
  ],
})
