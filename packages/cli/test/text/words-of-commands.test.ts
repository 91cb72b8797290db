import { parseArgs } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isGroup } from '../../src/command.js'
import { commands } from '../../src/commands.js'

const entries = Object.entries(commands).flatMap(([name, entry]) =>
  isGroup(entry)
    ? Object.entries(entry.commands).map(([inner, each]) => [`${name} ${inner}`, each] as const)
    : [[name, entry] as const],
)
const all = await Promise.all(
  entries.map(async ([name, { summary, load }]) => [name, { summary, ...(await load()) }] as const),
)

/** The arguments of an example, as a shell passes them to the program. */
const asShell = (line: string) =>
  (line.split(/(?:^| )(?:<|>|>>|\|) /)[0]?.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    word.replaceAll(/^["']|["']$/g, ''),
  )

/** A reader of the help has only these words. */
describe.each(all)('the help of %s', (_, { summary, about, usage = '', positionals, options, examples }) => {
  it('says in one line, and in sentences, what the command does', () => {
    expect(summary).toMatch(/^[A-Z]\S*( \S+)+(?<!\.)$/)
    expect(about).toMatch(/^[A-Z]\S*( \S+){2,}\.$/)
    const { min, max } = positionals ?? { min: 0, max: 0 }
    expect(usage !== '').toBe(max > 0 || usage.startsWith('--'))
    expect(min).toBeLessThanOrEqual(max)
  })

  it.each(Object.entries(options))('explains --%s', (_, option) => {
    expect(option.help).toMatch(/^\S+( \S+)+(?<!\w\.)$/)
    if (option.type === 'boolean') {
      return
    }
    expect(option.value).toMatch(/^[A-Z]\S*$/)
    for (const choice of option.choices ?? []) {
      expect(choice).toMatch(/^\w[\w-]*$/)
    }
    if (option.choices && option.default !== undefined) {
      expect(option.choices).toContain(option.default)
    }
  })

  it('has examples that the command line accepts', () => {
    expect(examples.length).toBeGreaterThan(0)
    for (const [line, does] of examples) {
      expect(does).toMatch(/^[A-Z]\S*( \S+)+$/)
      const found = parseArgs({
        args: asShell(line),
        options: { ...options, json: { type: 'boolean' } },
        allowPositionals: true,
      })
      const { min, max } = positionals ?? { min: 0, max: 0 }
      const given = found.positionals.length
      expect([line, given >= min, given <= max]).toEqual([line, true, true])
      for (const [name, value] of Object.entries(found.values)) {
        const option = options[name]
        if (option?.type === 'string' && option.choices) {
          expect(option.choices).toEqual(expect.arrayContaining([value].flat()))
        }
      }
    }
  })
})
