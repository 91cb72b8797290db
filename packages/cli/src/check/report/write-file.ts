import { open, writeFile } from 'node:fs/promises'
import { UsageError } from '../../exit.js'
import { localPath } from '../../local-path.js'

/** Throws `UsageError` before the run, which can take minutes, if the report cannot be written. */
export async function ensureWritable(path: string): Promise<void> {
  try {
    await (await open(localPath(path), 'a')).close()
  } catch (error) {
    throw unwritable(path, error)
  }
}

export async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(localPath(path), text)
  } catch (error) {
    throw unwritable(path, error)
  }
}

function unwritable(path: string, error: unknown): UsageError {
  const { code, message } = error as NodeJS.ErrnoException
  return new UsageError(`cannot write ${path}: ${code ?? message}`)
}
