import type { Reporter } from 'vitest/node'

/** Whole files that only `LONG=1` runs, as the nightly workflow does, and what the usual run has instead. */
export const longFiles: Readonly<Record<string, string>> = {
  'test/chaos/all-modes.test.ts': 'modes.test.ts has the same faults in one mode',
  'test/chaos/particular.test.ts': 'it starts a fleet of processes for each test, and fills disks',
  'test/examples/workers-postgres.test.ts': 'the D1 tests run a Worker too, and other examples run Postgres',
  'test/testing/inbox-faults.test.ts':
    'it runs each law on thousands of faulty inboxes; other tests run each on a right one and on one that rejects everything',
  'packages/cli/test/packed.test.ts':
    'other tests run the built program; this one installs it from the package',
}

/** The files that this run leaves out. */
export const leftOut = process.env.LONG ? [] : Object.keys(longFiles)

/** Prints which files the run leaves out, and why. */
export default class LeftOut implements Reporter {
  onTestRunEnd(): void {
    for (const path of leftOut) {
      console.log(`left out without LONG=1: ${path} (${longFiles[path]})`)
    }
  }
}
