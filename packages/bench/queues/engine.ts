/** A durable inbox with its queue, made with this package or by hand. */
export interface Engine {
  readonly name: string
  /** Keeps an event and its job; resolves after the commit. */
  accept(): Promise<void>
  /** Starts to run events. Calls `ran` for each event whose transaction is committed or about to be. */
  start(ran: () => void): Promise<void>
  stop(): Promise<void>
  /** Resolves to how many events are not done. */
  left(): Promise<number>
  close(): Promise<void>
}

/** How many events each engine runs concurrently. */
export const concurrency = 10
