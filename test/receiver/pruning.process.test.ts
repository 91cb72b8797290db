import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { secret } from './deliver.js'

test('pruning does not keep the process alive', async () => {
  const program = `
    import { createReceiver, memoryStore } from './src/index.ts'
    await createReceiver({ secret: '${secret}', store: memoryStore(), fallback() {}, logger: false }).start()
    console.log('started')`
  const args = ['--import', 'tsx', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
  expect(stdout).toBe('started\n')
})
