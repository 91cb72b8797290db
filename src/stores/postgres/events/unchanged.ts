/** Whether the event has failed no more often than a worker saw, and was not replayed since. */
export const isAt = (generation: string, failures: string) =>
  `(${generation}::bigint IS NULL OR (generation = ${generation}::bigint AND failures = ${failures}::int))`
