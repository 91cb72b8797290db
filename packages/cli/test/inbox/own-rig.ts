import { afterEach, beforeEach } from 'vitest'
import { openRig, type Rig, steady, until } from './rig.js'

export const because = ['--reason', 'the bank is back', '--actor', 'ada']
export const audit = { reason: 'too many', actor: 'grace' }

/** A rig of its own for each test. */
export let rig: Rig
/** Each file calls it, because the mutation tester loads this module once for several runs of a file. */
export function useOwnRig(): void {
  beforeEach(async () => {
    delete process.env.IS_WELL
    rig = await openRig('receiver.ts')
  })
  afterEach(() => rig?.close())
}

/** The exit code and the screen of a command on a wide terminal. */
export async function shown(...args: string[]) {
  const { code, screen } = await rig.terminal(args)
  return [code, ...steady(screen)]
}

/** A run that discards one event and then waits. */
export async function slowRun() {
  const plan = await rig.running.plan({ action: 'discard' })
  const run = await rig.running.run(plan, { ...audit, perSecond: 0.001 })
  await until(async () => (await run.progress()).applied === 1)
  return run
}
