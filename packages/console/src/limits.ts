/** The most characters of a reason. It is a sentence or a link, and each list of audits shows it in full. */
export const mostReason = 1000

/** The time limits of a console. Tests pass shorter ones. */
export interface Limits {
  /** How long `authorize` and `actor` may take. With `answerSeconds` it is less than the page waits for an answer. */
  readonly askSeconds: number
  /** How long a view or a change may take. */
  readonly answerSeconds: number
  /** How long the body of a change may take to arrive. */
  readonly bodySeconds: number
  /**
   * How often a stream sends a beat, so that proxies keep it and the page reads again what ages. It asks for the right of its
   * reader again before.
   */
  readonly heartbeatSeconds: number
  /** How often a stream shows that the program lives. It needs no query and no right, so it costs a few bytes. */
  readonly pulseSeconds: number
  /** How often the store is asked whether something changed, while somebody looks. */
  readonly lookSeconds: number
  /**
   * How long a process may take for its next report after a time without a database. Processes report every 20 seconds, and could
   * not report while the store did not respond.
   */
  readonly reportSeconds: number
}

export const defaultLimits: Limits = {
  askSeconds: 3,
  answerSeconds: 10,
  bodySeconds: 10,
  heartbeatSeconds: 20,
  pulseSeconds: 5,
  lookSeconds: 2,
  reportSeconds: 25,
}
