/** How often a property is tried: the number given, or `FUZZ_RUNS` where that is set, as for a long search. */
export const runs = (usual: number): number => Number(process.env.FUZZ_RUNS ?? usual)
