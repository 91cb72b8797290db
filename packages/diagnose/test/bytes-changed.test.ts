import { describe, expect, it } from 'vitest'
import { diagnose } from '../src/index.js'
import { good, now, secret, sign } from './delivery.js'

const bytes = (text: string) => Buffer.from(text, 'latin1')

/** The causes of a delivery of which one body was signed and another one arrived. */
async function causesOf(given: string, signed: string) {
  const { causes } = await diagnose({
    ...good,
    body: bytes(given),
    header: sign(bytes(signed), secret.secret, now),
  })
  return causes.map(({ code, evidence }) => [code, evidence])
}

const trimmed = (before: string, after: number) => [
  'body_white_space_added',
  expect.stringContaining(`The signed body is that without ${before} before it and ${after} after it.`),
]

describe('a body that is no JSON is compared with', () => {
  it.each([
    ['one without its last line feed', 'a\n', 'a', 'body_line_break_added'],
    ['one without its last line break of two bytes', 'a\r\n', 'a', 'body_line_break_added'],
    ['one with a line feed', 'a', 'a\n', 'body_line_break_removed'],
    ['one with line breaks of two bytes', '\na\nb', '\r\na\r\nb', 'body_line_endings'],
    ['one with line feeds, of which it has some', 'a\r\nb\nc', 'a\nb\nc', 'body_line_endings'],
    ['one with carriage returns that it lacks in part', 'a\r\nb\nc', 'a\r\nb\r\nc', 'body_line_endings'],
    ['one read as latin1, with a control character', '\x7f\xe9', '\x7f\xc3\xa9', 'body_latin1'],
    ['one written as latin1', '\x7f\xc3\xa9', '\x7f\xe9', 'body_latin1'],
  ])('%s', async (_, given, signed, code) => {
    expect((await causesOf(given, signed)).map(([found]) => found)).toEqual([code])
  })

  it.each([
    ['white space on both sides', ' \t\r\nx \r', 'x', trimmed('4 bytes', 2)],
    ['white space before it', ' x', 'x', trimmed('1 byte', 0)],
    ['white space after it', 'x \t', 'x', trimmed('0 bytes', 2)],
    ['nothing but white space', ' \t ', '', trimmed('3 bytes', 0)],
  ])('one that had no white space: %s', async (_, given, signed, cause) => {
    expect(await causesOf(given, signed)).toEqual([cause])
  })

  it.each([
    ['its last byte, which is no line break', 'ab', 'a'],
    ['two line breaks after it', 'a', 'a\n\r\n'],
    ['other bytes, where it is no UTF-8', '\xff', 'zz'],
    ['another body', 'a', 'b'],
  ])('and no cause is named for %s', async (_, given, signed) => {
    expect(await causesOf(given, signed)).toEqual([])
  })
})
