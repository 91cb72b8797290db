import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isGroup } from '../src/command.js'
import { commands } from '../src/commands.js'
import { webhookInbox } from './in-process.js'

const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-'))
  await writeFile(join(folder, 'event.json'), '{}')
})
afterAll(() => rm(folder, { recursive: true }))

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout: script } = await webhookInbox(['completion', 'bash'])
  const typed = ['webhook-inbox', ...words].map((word) => `'${word}'`).join(' ')
  const { stdout } = await run(
    'bash',
    [
      '-c',
      `${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _webhook_inbox; echo "\${COMPREPLY[@]}"`,
    ],
    { cwd: folder },
  )
  return stdout.trim().split(' ')
}

describe('completion for bash', () => {
  it('offers commands', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['sign', 'completion', '--help']))
    expect(await offered('si')).toEqual(['sign'])
  })

  it('offers the options of a command', async () => {
    expect(await offered('sign', '--secret')).toEqual(['--secret', '--secret-file'])
  })

  it('offers files where no option begins', async () => {
    expect(await offered('sign', 'ev')).toEqual(['event.json'])
  })
})

describe.each(['zsh', 'fish'])('completion for %s', (shell) => {
  it('is a script that the shell can read', async (context) => {
    const isInstalled = await run('sh', ['-c', `command -v ${shell}`]).then(
      () => true,
      () => false,
    )
    if (!isInstalled) {
      return context.skip(`${shell} is not installed`)
    }
    const { stdout } = await webhookInbox(['completion', shell])
    await writeFile(join(folder, shell), stdout)
    await run(shell, ['-n', join(folder, shell)])
  })

  it('names every command and option', async () => {
    const { stdout } = await webhookInbox(['completion', shell])
    const words = new Set(stdout.split(/[^\w-]+/).map((word) => word.replace(/^--/, '')))
    const entries = Object.entries(commands).flatMap(([name, entry]) =>
      isGroup(entry) ? Object.entries(entry.commands) : [[name, entry] as const],
    )
    expect(entries.length).toBeGreaterThan(20)
    for (const [name, { load }] of entries) {
      for (const word of [name, ...Object.keys((await load()).options)]) {
        expect(words, `${name}: ${word}`).toContain(word)
      }
    }
  })
})

/** `script` of util-linux gives zsh the terminal without which it completes nothing. */
const hasTerminal =
  /util-linux/.test(spawnSync('script', ['--version']).stdout?.toString() ?? '') &&
  spawnSync('zsh', ['--version']).status === 0

it.skipIf(!hasTerminal)('zsh completes at Tab (needs zsh, and script of util-linux)', async () => {
  const { stdout: script } = await webhookInbox(['completion', 'zsh'])
  await writeFile(join(folder, 'completion.zsh'), script)
  const terminal = spawn('script', ['--quiet', '--return', '--command', 'zsh -f -i', '/dev/null'], {
    env: { ...process.env, HOME: folder, TERM: 'dumb' },
  })
  const exit = once(terminal, 'exit')
  const screen = reader(terminal.stdout)
  // The prompt is written in two parts, so that it is not found in the command that sets it.
  terminal.stdin.write(
    `autoload -Uz compinit && compinit -u -D && source ${folder}/completion.zsh && PS1='ready''> '\r`,
  )
  await screen.shows('ready> ')
  for (const [typed, completed] of [
    ['webhook-inbox comp', 'webhook-inbox completion'],
    ['webhook-inbox sign --secret-f', 'webhook-inbox sign --secret-file'],
    ['webhook-inbox inbox repl', 'webhook-inbox inbox replay'],
    ['webhook-inbox inbox replay --dry', 'webhook-inbox inbox replay --dry-run'],
  ] as const) {
    terminal.stdin.write(`${typed}\t`)
    await screen.shows(completed)
    terminal.stdin.write(clearLine)
  }
  terminal.stdin.write('exit\r')
  await exit
})

const clearLine = '\u0015'

/** Collects what a terminal shows, and resolves when it has shown a text. */
function reader(output: Readable) {
  let text = ''
  output.on('data', (piece) => {
    text += piece
  })
  return {
    async shows(wanted: string): Promise<void> {
      while (!text.includes(wanted)) {
        await once(output, 'data')
      }
      text = ''
    },
  }
}

it('fish offers commands and options', async (context) => {
  const { stdout: script } = await webhookInbox(['completion', 'fish'])
  await writeFile(join(folder, 'offer.fish'), `${script}\ncomplete -C $argv[1]`)
  const offer = async (typed: string) => {
    const { stdout } = await run('fish', [join(folder, 'offer.fish'), typed], {
      env: { ...process.env, HOME: folder },
    })
    return stdout.split('\n').map((line) => line.split('\t')[0])
  }
  const isInstalled = await run('fish', ['--version']).catch(() => undefined)
  if (!isInstalled) {
    return context.skip('fish is not installed')
  }
  expect(await offer('webhook-inbox si')).toContain('sign')
  expect(await offer('webhook-inbox sign --sec')).toEqual(
    expect.arrayContaining(['--secret', '--secret-file']),
  )
})

it('rejects another shell by name', async () => {
  const { code, stderr } = await webhookInbox(['completion', 'tcsh'])
  expect(code).toBe(2)
  expect(stderr).toContain('bash, zsh, fish')
})
