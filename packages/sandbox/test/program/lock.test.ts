import { expect, onTestFinished, test } from 'vitest'
import { createSandbox } from '../../src/index.js'
import { stateFile } from '../rig.js'
import { startProgram, urlOf } from './program.js'

const inUse = 'is in use by another sandbox: stop that one, or name another file'

test('a second sandbox on the same state file is rejected, also in the same process', async () => {
  const state = stateFile()
  const first = await createSandbox({ port: 0, state })
  onTestFinished(() => first.close())
  await expect(createSandbox({ port: 0, state })).rejects.toMatchObject({
    name: 'OptionError',
    message: `state ${inUse}`,
  })
  const second = startProgram(['--port', '0', '--state', state])
  expect(await second.exited).toBe(2)
  expect(second.stderr).toEqual([`sandbox: --state ${inUse}`])
})

test('the file is free once its sandbox is closed, or was killed', async () => {
  const state = stateFile()
  await (await createSandbox({ port: 0, state })).close()
  for (let start = 0; start < 2; start++) {
    const program = startProgram(['--port', '0', '--json', '--state', state])
    await urlOf(program)
    program.child.kill('SIGKILL')
    expect(await program.exited).toBe('SIGKILL')
  }
  await (await createSandbox({ port: 0, state })).close()
})
