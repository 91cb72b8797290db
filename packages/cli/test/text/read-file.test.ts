import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBytes, readTextFile } from '../../src/read-file.js'

let folder: string
const file = (name: string) => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-'))
  await writeFile(file('text'), 'Zoë\n')
  await writeFile(file('bytes'), Uint8Array.of(0xff, 0, 10))
})
afterAll(() => rm(folder, { recursive: true }))

const refusal = (message: string) => expect.objectContaining({ name: 'UsageError', message })
const nothing = Readable.from([])

describe('a file', () => {
  it('is read as bytes or as text, by its path or as a file: URL', async () => {
    expect([...(await readBytes(file('bytes'), nothing))]).toEqual([0xff, 0, 10])
    expect(await readTextFile(file('text'))).toBe('Zoë\n')
    expect(await readTextFile(pathToFileURL(file('text')).href)).toBe('Zoë\n')
  })

  it('named - is the standard input, in as many pieces as it has', async () => {
    const pieces = [Buffer.from('a'), Buffer.from('bc'), Buffer.from([0xff])]
    expect([...(await readBytes('-', Readable.from(pieces)))]).toEqual([97, 98, 99, 0xff])
    expect(await readBytes('-', nothing)).toEqual(Buffer.alloc(0))
  })

  it.each([
    ['none', 'there is no such file'],
    ['.', 'it is a folder'],
    ['text/below', 'ENOTDIR'],
    ['x\0y', 'ERR_INVALID_ARG_VALUE'],
  ])('that cannot be read is an error of the user: %j', async (name, reason) => {
    const path = name === '.' ? folder : `${folder}/${name}`
    await expect(readTextFile(path)).rejects.toEqual(refusal(`cannot read ${path}: ${reason}`))
    await expect(readBytes(path, nothing)).rejects.toEqual(refusal(`cannot read ${path}: ${reason}`))
  })

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'that the user may not read says so (root may read every file)',
    async () => {
      await chmod(file('bytes'), 0)
      const message = `cannot read ${file('bytes')}: it may not be read by this user`
      await expect(readTextFile(file('bytes'))).rejects.toEqual(refusal(message))
      await chmod(file('bytes'), 0o600)
    },
  )
})
