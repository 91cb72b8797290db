/** The faults of deliveries, and what each does. */
export const faults: Readonly<Record<string, string>> = {
  latency: 'Waits before it sends: `latency.seconds` (2), and up to `latency.randomSeconds` more',
  drop: 'Never sends the attempt, which counts as failed',
  dropAnswer: 'Sends the attempt and discards the response',
  duplicate: 'Makes a second delivery of the event',
  reorder: 'Delays the first attempt by up to `reorder.windowSeconds` (5), so that later events overtake it',
  corruptSignature: 'Changes one digit of the signature',
  skew: 'Signs with a time that is off by `skew.seconds` (-600)',
  truncate: 'Announces the whole body, sends half of it and closes the connection',
  trickle: 'Sends the body in small pieces over `trickle.seconds` (5)',
  reset: 'Resets the connection after half of the body',
}
