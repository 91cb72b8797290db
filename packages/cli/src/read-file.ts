import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { UsageError } from './exit.js'
import { localPath } from './local-path.js'

/** The bytes of a file, or of standard input if the name is `-`. Throws `UsageError` if it cannot be read. */
export async function readBytes(path: string, stdin: Readable): Promise<Buffer> {
  return path === '-' ? readAll(stdin) : readBytesOfFile(path)
}

/** The text of a UTF-8 file. Throws `UsageError` if it cannot be read. */
export async function readTextFile(path: string): Promise<string> {
  return (await readBytesOfFile(path)).toString('utf8')
}

async function readBytesOfFile(path: string): Promise<Buffer> {
  const file = localPath(path)
  try {
    return await readFile(file)
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${reason(error)}`)
  }
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EACCES':
      return 'it may not be read by this user'
    case 'EISDIR':
      return 'it is a folder'
    default:
      return code ?? message
  }
}
