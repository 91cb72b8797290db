/**
 * How often a property is tried. `FUZZ_RUNS` sets the number, as for a long search. Without it, a quarter of the usual
 * number keeps `npm test` short, and `LONG=1` asks for all.
 */
export const runs = (usual: number): number =>
  Number(process.env.FUZZ_RUNS ?? (process.env.LONG ? usual : Math.ceil(usual / 4)))
