/**
 * Writes the output of commands into the pages about the command line. Each line `$ webhook-inbox ...` of a console
 * block is run in a temporary folder, with a sandbox and an inbox. The block gets what the command prints.
 *
 *     npm run build && node --import tsx scripts/cli-docs.ts
 */
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { testSender } from 'webhook-inbox/testing'
import { createSandbox, type Sandbox } from 'webhook-inbox-sandbox'
import { inbox } from '../packages/cli/src/inbox.js'
import { faults } from '../packages/cli/src/sandbox/faults.js'
import { webhookInbox } from '../packages/cli/test/in-process.js'
import { now, secret, writeFiles } from './cli-docs-files.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const [second, minute] = [1000, 60_000]
/** The time of the inbox, so that its samples tell one story. Each command runs a minute after the one before. */
let inboxTime = now * second
const realNow = Date.now

/** Runs `work` by the time of the inbox. */
async function atInboxTime<T>(work: () => Promise<T>): Promise<T> {
  Date.now = () => inboxTime
  try {
    return await work()
  } finally {
    Date.now = realNow
  }
}

/** The addresses that the pages show for a receiver and a sandbox. */
const shown = { receiver: 'http://127.0.0.1:3000', sandbox: 'http://127.0.0.1:4010' }

/** The pages whose blocks are run. */
export async function pages(): Promise<string[]> {
  const names = await readdir(join(root, 'docs/cli'))
  const others = ['docs/signature-does-not-verify.md', 'packages/cli/README.md']
  return [...names.sort().map((name) => `docs/cli/${name}`), ...others]
}

/** Returns the page with the current output of its commands. */
export async function render(page: string): Promise<string> {
  const text = await readFile(join(root, page), 'utf8')
  const place = await openPlace()
  try {
    let result = ''
    let at = 0
    for (const { 0: block, 1: body = '', index } of text.matchAll(/```console\n(.*?)```\n/gs)) {
      result += text.slice(at, index)
      result += `\`\`\`console\n${await runBlock(body, place)}\`\`\`\n`
      at = index + block.length
    }
    return withFaults(await withCommands(result + text.slice(at)))
  } finally {
    await place.close()
  }
}

/** Writes the table of the faults of the sandbox between its marks. */
function withFaults(text: string): string {
  const rows = Object.entries(faults).map(([name, does]) => `| \`${name}\` | ${does}. |\n`)
  return text.replace(
    /(?<=<!-- faults -->\n).*(?=<!-- end of faults -->)/s,
    `| fault | what happens |\n|---|---|\n${rows.join('')}`,
  )
}

/** Writes the table of the commands of the inbox between its marks. */
async function withCommands(text: string): Promise<string> {
  const [before, after] = text.split(/(?<=<!-- commands -->\n).*(?=<!-- end of commands -->)/s)
  if (after === undefined) {
    return text
  }
  const rows: string[] = []
  for (const [name, { summary, load }] of Object.entries(inbox.commands)) {
    const { options } = await load()
    const own = Object.keys(options).filter((option) => option !== 'receiver')
    rows.push(`| \`${name}\` | ${summary} | ${own.map((option) => `\`--${option}\``).join(' ')} |\n`)
  }
  return `${before}| command | does | options |\n|---|---|---|\n${rows.join('')}${after}`
}

interface Place {
  readonly folder: string
  readonly sandbox: Sandbox
  readonly receiver: string
  /** What a page shows for each identifier, so that one thing has one name on the whole page. */
  readonly ids: Map<string, string>
  close(): Promise<void>
}

async function runBlock(body: string, place: Place): Promise<string> {
  const commands = body.split('\n').filter((line) => line.startsWith('$ '))
  let printed = ''
  for (const command of commands) {
    printed += `${command}\n${await runCommand(command.slice(2), place)}`
  }
  return printed
}

async function runCommand(command: string, place: Place): Promise<string> {
  const { sandbox, receiver } = place
  const real = command.replaceAll(shown.receiver, receiver).replaceAll(shown.sandbox, sandbox.url)
  const words = [...real.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
  const variables: Record<string, string> = {}
  while (/^[A-Z_]+=/.test(words[0] ?? '')) {
    const [name = '', value = ''] = (words.shift() as string).split('=', 2)
    variables[name] = value
  }
  if (words.shift() !== 'webhook-inbox') {
    throw new Error(`the docs run webhook-inbox alone, not: ${command}`)
  }
  const output = words.at(-2) === '>' ? words.splice(-2)[1] : undefined
  const env = { WEBHOOK_SECRET: secret, SANDBOX_URL: sandbox.url, NO_COLOR: '1', ...variables }
  const run = () =>
    webhookInbox(words, {
      env,
      now,
      isStderrPiped: true,
      ...(output === undefined && { columns: 100 }),
    })
  inboxTime += minute
  const isOfInbox = words[0] === 'inbox'
  const { code, stdout, stderr, screen } = await (isOfInbox ? atInboxTime(run) : run())
  if (output !== undefined) {
    await writeFile(output, stdout)
  }
  const lines = (output === undefined ? screen : stderr) + (code === 0 ? '' : `[exit status ${code}]\n`)
  // The sandbox has a virtual clock.
  const hasOwnTime = isOfInbox || words[0] === 'sandbox'
  return repeatable(hasOwnTime ? lines : withoutTimes(lines), place)
}

/** Times differ from run to run, but not those of the inbox and of the sandbox. */
const withoutTimes = (text: string) =>
  text.replace(/2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, '2027-01-15T08:00:00.000Z')

/** Identifiers, durations and ports differ from run to run. */
function repeatable(text: string, { sandbox, receiver, ids }: Place): string {
  return text
    .replaceAll(sandbox.url, shown.sandbox)
    .replaceAll(receiver, shown.receiver)
    .replace(/\b(evt|tr|dlv|whe)_01[0-9A-Z]{24}\b/g, (id, kind: string) => {
      if (!ids.has(id)) {
        // As long as the original, so that the columns of a table stay aligned.
        ids.set(id, `${kind}_01K4Z${String(ids.size + 1).padStart(21, '0')}`)
      }
      return ids.get(id) as string
    })
    .replace(/[ \d]\d ms\b/g, ' 7 ms')
    .replace(/ +$/gm, '')
}

async function openPlace(): Promise<Place> {
  const before = process.cwd()
  const folder = await mkdtemp(join(tmpdir(), 'cli-docs-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFiles(folder)
  process.chdir(folder)
  await atInboxTime(() => fillInbox(join(folder, 'inbox.db')))
  const server = await openReceiver()
  const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sandbox = await createSandbox({ port: 0, clock: 'virtual', retry: 'none' })
  await sandbox.subscribe({ url: `${receiver}/webhooks`, events: ['*'], secret })
  return {
    folder,
    sandbox,
    receiver,
    ids: new Map(),
    async close() {
      process.chdir(before)
      await sandbox.close()
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function openReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => response.end('{"outcome":"processed"}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Makes two dead events and one done event, as the program of the page does. */
async function fillInbox(database: string): Promise<void> {
  process.env.INBOX_DATABASE = database
  // A command that ran before in this process has set it.
  delete process.env.WEBHOOK_INBOX_CLI
  const inboxSecret = 'whsec_of_the_inbox_tests'
  const handlers = {
    'transfer.settled': () => {},
    'transfer.failed'({ data }: { data: { transferId: string } }) {
      inboxTime += 45
      throw new Error(`the ledger refuses ${data.transferId}`)
    },
  }
  const receiver = createReceiver({
    secret: inboxSecret,
    endpoint: 'payments',
    store: sqliteStore(database),
    queue: localQueue({ retry: { attempts: 1 } }),
    handlers,
    logger: false,
  })
  await receiver.start()
  const sender = testSender({ receiver, secret: inboxSecret })
  const types = ['transfer.settled', 'transfer.failed', 'transfer.failed'] as const
  for (const [at, type] of types.entries()) {
    const created = now * second + at * 40 * second
    inboxTime = created + 180
    const id = `evt_${at + 1}`
    await sender.send(type, { transferId: `tr_${id}` }, { id, createdAt: new Date(created).toISOString() })
    while (!['done', 'dead'].includes((await receiver.inspect(id))?.state ?? '')) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await receiver.stop()
  inboxTime = (now + 240) * second
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const page of await pages()) {
    await writeFile(join(root, page), await render(page))
  }
  // The open inbox would keep this program running.
  process.exit()
}
