import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { UsageError } from './exit.js'

const isWindows = process.platform === 'win32'

/** The path of a file that the user names by its path or as a `file:` URL. Throws `UsageError` for a URL without one. */
export function localPath(given: string, windows = isWindows): string {
  if (!/^file:/i.test(given)) {
    return given
  }
  try {
    return fileURLToPath(given, { windows })
  } catch {
    throw new UsageError(`${given} is no file of this machine`)
  }
}

/** The form of an absolute path for `import`, which would read `C:\\receiver.js` as a URL with the scheme `c:`. */
export const moduleUrl = (path: string, windows = isWindows): string => pathToFileURL(path, { windows }).href
