import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { secret } from './receivers.js'

const program = fileURLToPath(new URL('../../cli/dist/main.js', import.meta.url))

/** Runs the built command line and resolves to what it prints, whatever it exits with. */
export function runCommand(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, WEBHOOK_SECRET: secret, NO_COLOR: '1' }
    execFile(process.execPath, [program, ...args], { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      // 1 is a negative result; anything higher means that nothing was measured.
      if (error && error.code !== 1) {
        reject(new Error(stderr))
      } else {
        resolve(stdout)
      }
    })
  })
}
