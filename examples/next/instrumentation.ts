/** Runs once when the server starts, so that a missing secret or store shows then and not at the first delivery. */
export async function register(): Promise<void> {
  if (!process.env.WEBHOOK_SECRET) {
    throw new Error(
      'WEBHOOK_SECRET is not set. Try: WEBHOOK_SECRET=whsec_example_0123456789 npx next dev examples/next',
    )
  }
  // Next also runs this file for the edge runtime, where the receiver does not run.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { receiver } = await import('./receiver.ts')
    await receiver.start()
  }
}
