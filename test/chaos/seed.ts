/** The seed of this run of the tests: given, so that a run can be repeated, or new each time. */
export const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
