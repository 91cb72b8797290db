import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest time that each test file took so far, in milliseconds. A file that a killed mutant cut short looks faster. */
const longest = new Map<string, number>()

/** Runs fast test files first. A mutant is killed by the first failure, and most tests after it never start. */
export class FastFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const time = (file: TestSpecification) => this.#timeOf(file)
    return Promise.resolve([...files].sort((a, b) => time(a) - time(b)))
  }

  #timeOf({ project, moduleId }: TestSpecification): number {
    const { cache, config } = this.ctx
    const last = cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`)?.duration ?? 0
    const time = Math.max(last, longest.get(moduleId) ?? 0)
    longest.set(moduleId, time)
    return time
  }
}
