import { open, writeFile } from 'node:fs/promises'
import { UsageError } from '../../exit.js'

/** Throws `UsageError` before minutes of work where the report could not be written at their end. */
export async function ensureWritable(path: string): Promise<void> {
  try {
    await (await open(path, 'a')).close()
  } catch (error) {
    throw unwritable(path, error)
  }
}

export async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    throw unwritable(path, error)
  }
}

const unwritable = (path: string, error: unknown) =>
  new UsageError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code}`)
