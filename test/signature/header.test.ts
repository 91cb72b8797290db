import { describe, expect, it } from 'vitest'
import { Rejection } from '../../src/errors.js'
import { maxHeaderLength, maxSignatures, parseSignatureHeader } from '../../src/signature/header.js'

const signature = 'a'.repeat(64)

/** The result of parsing a header: `t` and the signatures, or the code. */
function read(header: unknown): unknown {
  const result = parseSignatureHeader(header)
  return result instanceof Rejection ? result.code : { t: result.timestampText, v1: result.signatures }
}

const padded = (length: number) => {
  const head = 't=1,v1=a,x='
  return head + 'p'.repeat(length - head.length)
}
const many = (count: number) => `t=1${',v1=a'.repeat(count)}`

describe('headers that are read', () => {
  it.each<[name: string, header: unknown, t: string, v1: string[]]>([
    ['the published form', `t=1700000000,v1=${signature}`, '1700000000', [signature]],
    ['two signatures, as during a rotation', 't=1,v1=a,v1=b', '1', ['a', 'b']],
    ['signatures in the order of the header, before t', 'v1=b,t=1,v1=a', '1', ['b', 'a']],
    ['an unknown tag before', 'v0=x,t=1,v1=a', '1', ['a']],
    ['an unknown tag after', 't=1,v1=a,v2=x', '1', ['a']],
    ['an unknown tag twice', 't=1,v2=x,v2=y,v1=a', '1', ['a']],
    ['an unknown tag without a value', 't=1,scheme=,v1=a', '1', ['a']],
    ['a tag of another case is another tag', 't=1,V1=b,v1=a', '1', ['a']],
    ['an empty v1, which matches nothing, beside another', 't=1,v1=,v1=a', '1', ['', 'a']],
    ['leading zeros, kept as the literal characters', 't=0001,v1=a', '0001', ['a']],
    ['t of zero', 't=0,v1=a', '0', ['a']],
    ['t of 12 digits', 't=999999999999,v1=a', '999999999999', ['a']],
    ['a value with = in it, as base64 has', 't=1,v1=YQ==', '1', ['YQ==']],
    [
      'a signature that no encoding can be: that is for the scheme to say',
      't=1,v1=\u0000é',
      '1',
      ['\u0000é'],
    ],
    ['spaces and tabs around the value', ' \tt=1,v1=a\t ', '1', ['a']],
    ['an array of one value, as headersDistinct gives', ['t=1,v1=a'], '1', ['a']],
    ['as many signatures as are allowed', many(maxSignatures), '1', Array(maxSignatures).fill('a')],
    ['the longest header', padded(maxHeaderLength), '1', ['a']],
  ])('%s', (_, header, t, v1) => {
    expect(read(header)).toEqual({ t, v1 })
  })

  it('give t as a number too', () => {
    expect(parseSignatureHeader('t=0017,v1=a')).toMatchObject({ timestampText: '0017', timestamp: 17 })
  })
})

describe('headers that are absent', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['empty', ''],
    ['an empty list', []],
    ['a list of nothing', [undefined]],
    ['a list of an empty value', ['']],
  ])('%s', (_, header) => {
    expect(read(header)).toBe('missing_signature')
  })
})

describe('headers that are rejected', () => {
  it.each<[name: string, header: unknown, why: string]>([
    ['sent twice', ['t=1,v1=a', 't=1,v1=a'], 'sent more than once'],
    ['sent twice, the first empty', ['', 't=1,v1=a'], 'sent more than once'],
    ['sent twice and joined by Node', 't=1,v1=a, t=1,v1=a', 'white space, or was sent more than once'],
    ['a number', 17, 'sent more than once'],
    ['an object', { t: 1 }, 'sent more than once'],
    ['a list in a list', [['t=1,v1=a']], 'sent more than once'],
    ['longer than allowed', padded(maxHeaderLength + 1), 'longer than 4096'],
    ['a comma only', ',', 'not tag=value'],
    ['a space only', ' ', 'not tag=value'],
    ['spaces up to the longest header', ' '.repeat(maxHeaderLength), 'not tag=value'],
    ['a trailing comma', 't=1,v1=a,', 'not tag=value'],
    ['a leading comma', ',t=1,v1=a', 'not tag=value'],
    ['two commas', 't=1,,v1=a', 'not tag=value'],
    ['no =', 'hello', 'not tag=value'],
    ['an element without =', 't=1,v1=a,x', 'not tag=value'],
    ['an element without a tag', 't=1,v1=a,=x', 'not tag=value'],
    ['an element without a tag and with two =', 't=1,v1=a,=x=y', 'not tag=value'],
    ['a bare signature', signature, 'not tag=value'],
    ['semicolons for commas', 't=1;v1=a', 't is not 1 to 12 digits'],
    ['t twice', 't=1,t=1,v1=a', 't is given twice'],
    ['t twice with other values', 't=1,t=2,v1=a', 't is given twice'],
    ['no t', 'v1=a', 'no t'],
    ['T for t', 'T=1,v1=a', 'no t'],
    ['a space before =', 't =1,v1=a', 'white space'],
    ['t without digits', 't=,v1=a', 't is not'],
    ['t of 13 digits, as milliseconds are', 't=1700000000000,v1=a', 't is not'],
    ['t with a sign', 't=+1,v1=a', 't is not'],
    ['t negative', 't=-1,v1=a', 't is not'],
    ['t with a fraction', 't=1.0,v1=a', 't is not'],
    ['t with an exponent', 't=1e9,v1=a', 't is not'],
    ['t in hex', 't=0x1,v1=a', 't is not'],
    ['t after a space', 't= 1,v1=a', 'white space'],
    ['t with a line feed behind', 't=1\n,v1=a', 'white space'],
    ['t in other digits of Unicode', 't=١٢٣,v1=a', 't is not'],
    ['t of letters', 't=now,v1=a', 't is not'],
    ['t that is NaN', 't=NaN,v1=a', 't is not'],
    ['t that is Infinity', 't=Infinity,v1=a', 't is not'],
    ['a no-break space around, which trim would take', '\u00a0t=1,v1=a', 'white space'],
    ['a line feed around', '\nt=1,v1=a', 'white space'],
    ['no v1', 't=1', 'no v1'],
    ['v0 only', 't=1,v0=a', 'no v1'],
    ['v2 only', 't=1,v2=a', 'no v1'],
    ['v1 of another case', 't=1,V1=a', 'no v1'],
    ['v1 that is empty', 't=1,v1=', 'no v1'],
    ['t and v1 sent as two headers and joined', 't=1, v1=a', 'white space, or was sent more than once'],
    ['two v1 sent as two headers and joined', 't=1,v1=a, v1=b', 'white space, or was sent more than once'],
    ['spaces and tabs between elements', 't=1 \t,\t v1=a', 'white space'],
    ['a line feed between spaces at the end', 't=1,v1=a \n ', 'white space'],
    ['too many signatures', many(maxSignatures + 1), 'more than 16 signatures'],
  ])('%s', (_, header, why) => {
    const result = parseSignatureHeader(header)
    expect(read(header)).toBe('malformed_signature')
    expect((result as Rejection).detail).toContain(why)
  })
})
