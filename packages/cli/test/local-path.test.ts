import { win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localPath, moduleUrl } from '../src/local-path.js'

describe('a path', () => {
  it.each([
    ['C:\\srv\\receiver.ts', 'C:\\srv\\receiver.ts'],
    ['file:///C:/srv/my%20receiver.ts', 'C:\\srv\\my receiver.ts'],
    ['FILE:///c:/srv/body.json', 'c:\\srv\\body.json'],
    ['file://server/share/check.xml', '\\\\server\\share\\check.xml'],
    ['receiver.ts', 'receiver.ts'],
    ['-', '-'],
  ])('of Windows: %s', (given, path) => {
    expect(localPath(given, true)).toBe(path)
  })

  it.each([
    ['/srv/receiver.ts', '/srv/receiver.ts'],
    ['file:///srv/my%20receiver.ts', '/srv/my receiver.ts'],
    ['files/body.json', 'files/body.json'],
  ])('of POSIX: %s', (given, path) => {
    expect(localPath(given, false)).toBe(path)
  })

  it.each([
    ['file://server/share', false],
    ['file:///srv', true],
    ['file:///a%2Fb', false],
  ])('%s is no file of this machine', (given, windows) => {
    expect(() => localPath(given, windows)).toThrow(`${given} is no file of this machine`)
  })

  it('of Windows becomes a URL that import takes', () => {
    const path = win32.resolve('C:\\srv', 'src\\receiver #1.ts')
    expect(moduleUrl(path, true)).toBe('file:///C:/srv/src/receiver%20%231.ts')
    expect(localPath(moduleUrl(path, true), true)).toBe(path)
  })
})
