/** An error whose message says everything, so that a log prints no stack. */
export function notice(message: string): Error {
  const error = new Error(message)
  error.stack = String(error)
  return error
}
