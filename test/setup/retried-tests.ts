import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Prints the errors of tests that passed only when they were retried, so that no failure is silent. */
export default class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      if (test.diagnostic()?.flaky) {
        console.log(describe(test))
      }
    }
  }
}

function describe(test: TestCase): string {
  const place = `${test.project.name} ${test.module.relativeModuleId} > ${test.fullName}`
  const errors = (test.result().errors ?? []).map(({ message, stack, diff }) =>
    [stack?.includes(message) ? stack : `${message}\n${stack ?? ''}`, diff].filter(Boolean).join('\n'),
  )
  return `\n Passed at attempt ${errors.length + 1}: ${place}\n${errors.join('\n')}\n`
}
