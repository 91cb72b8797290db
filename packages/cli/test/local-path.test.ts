import { win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localPath, moduleUrl } from '../src/local-path.js'

describe('a path', () => {
  it.each([
    ['C:\\work\\receiver.ts', 'C:\\work\\receiver.ts'],
    ['file:///C:/work/my%20receiver.ts', 'C:\\work\\my receiver.ts'],
    ['FILE:///c:/work/body.json', 'c:\\work\\body.json'],
    ['file://server/share/check.xml', '\\\\server\\share\\check.xml'],
    ['receiver.ts', 'receiver.ts'],
    ['-', '-'],
  ])('of Windows: %s', (given, path) => {
    expect(localPath(given, true)).toBe(path)
  })

  it.each([
    ['/work/receiver.ts', '/work/receiver.ts'],
    ['file:///work/my%20receiver.ts', '/work/my receiver.ts'],
    ['files/body.json', 'files/body.json'],
  ])('of POSIX: %s', (given, path) => {
    expect(localPath(given, false)).toBe(path)
  })

  it.each([
    ['file://server/share', false],
    ['file:///work', true],
    ['file:///a%2Fb', false],
  ])('%s is no file of this machine', (given, windows) => {
    expect(() => localPath(given, windows)).toThrow(`${given} is no file of this machine`)
  })

  it('of Windows becomes a URL that import takes', () => {
    const path = win32.resolve('C:\\work', 'src\\receiver #1.ts')
    expect(moduleUrl(path, true)).toBe('file:///C:/work/src/receiver%20%231.ts')
    expect(localPath(moduleUrl(path, true), true)).toBe(path)
  })
})
