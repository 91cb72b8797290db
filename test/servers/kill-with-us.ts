import { type ChildProcess, spawn } from 'node:child_process'

/**
 * A test run that is cut short, by SIGKILL too, leaves no server behind, a stopped one included: our death closes the
 * pipe that the shell reads.
 */
export function killWithUs(server: ChildProcess): void {
  const script = `read -r _; kill -9 ${server.pid}`
  const watch = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watch.unref()
  server.once('exit', () => watch.kill('SIGKILL'))
}
