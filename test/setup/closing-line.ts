import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node'

/** Prints a last line with the number of passed and failed tests. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that does not load, a failing hook and an error outside a test belong to no test, so count them here.
    const hosts = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const loose = hosts.filter((host) => host.errors().length > 0).length + unhandledErrors.length
    // When collecting the tests fails, only the reason can be counted.
    const failed = count('failed') + loose || (reason === 'passed' ? 0 : 1)
    const skipped = count('skipped')
    console.log(`${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  }
}
