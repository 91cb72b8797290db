import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

const [to = 1, from = 0] = (process.env.SAMPLE ?? '1').split('-').map(Number).reverse()

/**
 * With `SAMPLE=0.1` a run tests one mutant in ten. A hash of the mutant decides, so each run chooses the same mutants, and
 * no kind of mutant is more likely than another. `SAMPLE=0.1-0.2` tests the next tenth, which no test was yet written for.
 */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Checker, 'sample', {
    init: () => Promise.resolve(),
    group: (mutants) => Promise.resolve([mutants.map(({ id }) => id)]),
    check: (mutants) => Promise.resolve(Object.fromEntries(mutants.map((each) => [each.id, verdict(each)]))),
  }),
]

/** Stryker knows no other way for a checker to leave a mutant out than an error of the compiler. */
function verdict(mutant) {
  const at = place(mutant)
  return from <= at && at < to
    ? { status: 'passed' }
    : { status: 'compileError', reason: 'not in the sample' }
}

/** A number from 0 to 1 that depends on the mutant only. */
function place({ fileName, location, mutatorName, replacement }) {
  const text = JSON.stringify([basename(fileName), location, mutatorName, replacement])
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}
