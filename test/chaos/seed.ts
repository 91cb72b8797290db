/** The seed of this test run. Set it to repeat a run. Default: a new one. */
export const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
