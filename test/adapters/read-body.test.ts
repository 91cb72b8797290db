import { PassThrough, Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { readBody } from '../../adapters/node/read-body.js'

const megabyte = 1_048_576

const read = (stream: Readable, maxBytes = megabyte, declaredLength?: string, time = { aborted: false }) =>
  readBody(stream, [], { maxBytes, declaredLength, time })

/** Returns the memory in use after a garbage collection, buffers included. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test.each([[[]], [['a']], [['', 'a', '']], [['a', 'bc', 'd', '', 'efghijklmnop', 'q']]])(
  'the bytes of %j are read completely',
  async (chunks) => {
    const stream = new PassThrough()
    for (const chunk of chunks) {
      stream.write(chunk)
    }
    setImmediate(() => stream.end())
    expect(Buffer.from(await read(stream, 17)).toString()).toBe(chunks.join(''))
  },
)

describe('text that a parser keeps', () => {
  const kept = [{ rawBody: 'of a parser' }, { body: 'of a parser' }] as const
  const limits = { maxBytes: 17, declaredLength: undefined, time: { aborted: false } }

  test.each(kept)('%o is never used: it may differ from what was signed', async (source) => {
    const stream = Readable.from([Buffer.from('signed')])
    stream.read()
    await new Promise((resolve) => stream.on('end', resolve).resume())
    expect(await readBody(stream, [source], limits)).toBe('body_already_read')
  })

  test.each(kept)('%o does not matter while the stream has the bytes', async (source) => {
    const stream = Readable.from([Buffer.from('signed')])
    expect(await readBody(stream, [source], limits)).toEqual(Buffer.from('signed'))
  })
})

test('a body sent byte by byte needs little more memory than its bytes', async () => {
  const stream = new PassThrough()
  const before = memoryInUse()
  const body = read(stream)
  for (let sent = 0; sent < 200_000; sent++) {
    if (!stream.write(Buffer.of(sent))) {
      await new Promise((resolve) => stream.once('drain', resolve))
    }
  }
  await new Promise(setImmediate)
  expect(memoryInUse() - before).toBeLessThan(5 * megabyte)
  stream.end()
  const bytes = (await body) as Uint8Array
  expect(
    Buffer.compare(
      bytes,
      Uint8Array.from({ length: 200_000 }, (_, index) => index),
    ),
  ).toBe(0)
})

test('a body that finds no memory is incomplete, and the process lives', async () => {
  const stream = new PassThrough()
  // No buffer has half a byte.
  const body = read(stream, 10.5)
  stream.write('six...')
  setImmediate(() => stream.end('four'))
  expect(await body).toBe('body_incomplete')
})

test('a chunk is not changed by later chunks', async () => {
  const first = Buffer.from('ab--').subarray(0, 2)
  expect(Buffer.from((await read(Readable.from([first, Buffer.from('cd')]))) as Uint8Array).toString()).toBe(
    'abcd',
  )
  expect(Buffer.from(first.buffer, first.byteOffset, 4).toString()).toBe('ab--')
})

test('a body of one byte too many stops the stream, which can then be drained', async () => {
  const stream = new PassThrough()
  stream.write('abc')
  stream.write('d')
  expect(await read(stream, 3)).toBe('body_too_large')
  expect(stream.isPaused()).toBe(true)
  stream.resume().end('more')
  await new Promise((resolve) => stream.once('end', resolve))
})

test.each([
  ['longer', '2'],
  ['shorter', '4'],
])('a body %s than declared is incomplete', async (_how, length) => {
  expect(await read(Readable.from([Buffer.from('abc')]), megabyte, length)).toBe('body_incomplete')
})

test('a stream that fails or closes is an incomplete body', async () => {
  const failing = new PassThrough()
  setImmediate(() => failing.destroy(new Error('reset')))
  expect(await read(failing)).toBe('body_incomplete')
  const closing = new PassThrough()
  closing.write('abc')
  setImmediate(() => closing.destroy())
  expect(await read(closing)).toBe('body_incomplete')
  expect(await read(closing)).toBe('body_already_read')
  const closed = new PassThrough().destroy()
  await new Promise((resolve) => closed.once('close', resolve))
  expect(await read(closed)).toBe('body_incomplete')
})

test('a body whose time is up uses no more memory', async () => {
  const stream = new PassThrough()
  const time = { aborted: false }
  const body = read(stream, megabyte, undefined, time)
  stream.write('abc')
  await new Promise(setImmediate)
  time.aborted = true
  stream.write('def')
  expect(await body).toBe('body_incomplete')
})

test('a body in many chunks never needs a buffer larger than the limit', async () => {
  const stream = new PassThrough()
  const body = read(stream, 1000)
  for (let sent = 0; sent < 90; sent++) {
    stream.write(Buffer.alloc(10))
  }
  stream.end()
  const bytes = (await body) as Uint8Array
  expect([bytes.length, bytes.buffer.byteLength <= Math.max(1000, Buffer.poolSize)]).toEqual([900, true])
})

test('a stream that was already read, or read as text, gives no bytes', async () => {
  const stream = Readable.from([Buffer.from('abc')])
  await read(stream)
  expect(await read(stream)).toBe('body_already_read')
  const text = new PassThrough().setEncoding('utf8')
  text.end('abc')
  expect(await read(text)).toBe('body_already_read')
})

test('a paused stream is read', async () => {
  const stream = new PassThrough()
  stream.pause()
  stream.end('abc')
  expect(Buffer.from((await read(stream)) as Uint8Array).toString()).toBe('abc')
})
