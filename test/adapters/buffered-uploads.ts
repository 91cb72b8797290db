import type { Deviation } from './suite.js'

/** Where something before the route reads the whole upload first, the receiver hears only of uploads that ended. */
export const bufferedUploads = (who: string): Deviation => ({
  reason: `${who} reads the whole body before the receiver is called`,
  tests: [
    'an upload that never ends is answered and cut off',
    'a refused upload that stalls does not keep its connection',
    'a sender that waits for 100 Continue with a delivery to be refused is answered',
    'an upload that is aborted (declared) reaches no store and harms nobody',
    'an upload that is aborted (chunked) reaches no store and harms nobody',
    'a body that trickles (declared) is answered 408 when its time is up, and the connection closes',
    'a body that trickles (chunked) is answered 408 when its time is up, and the connection closes',
  ],
})
