import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node'

/** Ends the output with the one line that a person or a machine looks for: how many passed, how many failed. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that does not load, a hook that fails and an error outside every test have no test of their own to fail.
    const hosts = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const loose = hosts.filter((host) => host.errors().length > 0).length + unhandledErrors.length
    // What breaks before the first test is found leaves nothing to count but the reason.
    const failed = count('failed') + loose || (reason === 'passed' ? 0 : 1)
    const skipped = count('skipped')
    console.log(`${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  }
}
