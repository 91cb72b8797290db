import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { killWithUs } from '../../../../test/servers/kill-with-us.js'

/** Serves a console over this inbox in a process of its own, which a test can freeze. */
export async function serve(...inbox: readonly string[]): Promise<{ url: string; program: ChildProcess }> {
  const script = fileURLToPath(new URL('./served.mjs', import.meta.url))
  const program = spawn(process.execPath, [script, ...inbox], { stdio: ['ignore', 'pipe', 'inherit'] })
  killWithUs(program)
  onTestFinished(async () => {
    program.kill('SIGKILL')
    await once(program, 'exit')
  })
  const [port] = await once(program.stdout, 'data')
  return { url: `http://127.0.0.1:${String(port).trim()}`, program }
}
