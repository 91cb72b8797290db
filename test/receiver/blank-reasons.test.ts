import { describe, expect, it } from 'vitest'
import { readAudit } from '../../packages/cli/src/inbox/audit.js'
import { isBlank } from '../../packages/console/src/is-blank.js'
import { requireAudit } from '../../src/operations/check-arguments.js'

const say = (character: string) => `U+${character.codePointAt(0)?.toString(16).padStart(4, '0')}`

// The page of the console cannot import the core, and the core does not export its pattern. So each has its own.
describe('a reason that a reader does not see', () => {
  const blank = [
    ...' \n\0\u00ad\u200b\u115f\u1160\u2800\u3164\ufe0f\uffa0\u034f\u{e0100}',
    '\ud800',
    '\udc00',
  ]
  it.each(blank.map((each) => [say(each), each]))(
    'is none in the core, the console and the command line: %s',
    (_, each) => {
      expect(isBlank(each)).toBe(true)
      expect(() => requireAudit('replay', { reason: each, actor: 'a' })).toThrow('needs a reason')
      expect(() => requireAudit('replay', { reason: 'a', actor: each })).toThrow('needs an actor')
      expect(() => readAudit({ reason: each, actor: 'a' })).toThrow('say why')
    },
  )

  it.each(['.', 'ok', '修', '\u{1f44d}', '\u2764\ufe0f', 'a\0', '\u0301'])(
    'is one with a visible character: %j',
    (each) => {
      expect(isBlank(each)).toBe(false)
      requireAudit('replay', { reason: each, actor: each })
      expect(readAudit({ reason: each, actor: each }).reason).toBe(each)
    },
  )
})
