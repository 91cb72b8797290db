import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Ends a server together with the test run, even after SIGKILL. The death of this process closes the pipe that the shell
 * reads, and the shell then kills the server. This also works for a stopped server.
 */
export function killWithUs(server: ChildProcess): void {
  const script = `read -r _; kill -9 ${server.pid}`
  const watch = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watch.unref()
  server.once('exit', () => watch.kill('SIGKILL'))
}
