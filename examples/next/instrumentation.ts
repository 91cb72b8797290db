/** Runs once when the server starts, so that a missing secret shows then and not at the first delivery. */
export function register(): void {
  if (process.env.WEBHOOK_SECRET) {
    return
  }
  throw new Error('WEBHOOK_SECRET is not set. Try: WEBHOOK_SECRET=whsec_example npx next dev examples/next')
}
