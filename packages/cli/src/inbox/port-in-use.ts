import process from 'node:process'
import { exit } from '../exit.js'

/**
 * Explains a module that listens when it is loaded, while its program listens already. Without this the command ends with
 * a stack that names neither the module nor the fix.
 */
export function explainPortInUse(path: string): void {
  if (process.listenerCount('uncaughtException') > 0) {
    return
  }
  process.once('uncaughtException', (error: NodeJS.ErrnoException & { readonly port?: number }) => {
    if (error?.code !== 'EADDRINUSE') {
      console.error(error)
      process.exit(exit.internal)
    }
    process.stderr.write(
      `webhook-inbox: ${path} listens on port ${error.port} when it is loaded, and your program has this port already. Change it: if (!process.env.WEBHOOK_INBOX_CLI) app.listen(${error.port})\n`,
    )
    process.exit(exit.usage)
  })
}
