import { defineCommand, type Options } from '../command.js'
import { exit } from '../exit.js'

/** The flags of the sandbox itself, so that help, completion and suggestions know them. */
const options = {
  port: { type: 'string', value: 'N', help: 'The port to listen on; 0 takes a free one. Default: 4010' },
  host: { type: 'string', value: 'ADDRESS', help: 'The address to listen on. Default: 127.0.0.1' },
  'forward-to': {
    type: 'string',
    value: 'URL',
    multiple: true,
    help: 'Deliver every event to this receiver',
  },
  state: { type: 'string', value: 'FILE', help: 'Keep everything in this SQLite file. Default: in memory' },
  seed: { type: 'string', value: 'N', help: 'The seed of identifiers and secrets. Default: 1' },
  envelope: {
    type: 'string',
    value: 'FORM',
    choices: ['camel', 'snake'],
    help: 'The envelope. Default: camel',
  },
  product: { type: 'string', value: 'NAME', help: 'The product line in snake_case events' },
  retry: {
    type: 'string',
    value: 'SCHEDULE',
    help: 'fast, standard, none, or pauses such as 1s,5s. Default: fast',
  },
  'settle-after': { type: 'string', value: 'TIME', help: 'From creation to settlement. Default: 100ms' },
  timeout: { type: 'string', value: 'TIME', help: 'The most that one delivery attempt takes. Default: 15s' },
  rate: { type: 'string', value: 'N/s', help: 'Answer 429 above this many API requests a second' },
  clock: { type: 'string', value: 'KIND', choices: ['real', 'virtual'], help: 'Default: real' },
  secret: { type: 'string', value: 'TEXT', help: 'The signing secret of every subscription' },
  scheme: {
    type: 'string',
    value: 'NAME|FILE',
    help: 'How to sign: t-body-hex, id-t-body-base64 ..., or a JSON file',
  },
  'api-key': { type: 'string', value: 'KEY', help: 'The key of the API. Default: sk_sandbox_local' },
  'strict-https': { type: 'boolean', help: 'Refuse http: receivers, on loopback too' },
  'allow-remote': { type: 'boolean', help: 'Allow https: receivers elsewhere' },
  open: { type: 'boolean', help: 'Open the inspector in a browser' },
} as const satisfies Options

export const start = defineCommand({
  about:
    'Starts the payments platform on your own machine: its API, its signed webhooks with retries, and a page that shows each delivery. Ctrl-C ends it.',
  options,
  examples: [
    ['--forward-to http://127.0.0.1:3000/webhooks', 'Delivers every event to your receiver.'],
    ['--state sandbox.db --port 4020', 'Keeps everything over a restart, on another port.'],
    ['--clock virtual --retry standard', 'Moves on only with: webhook-inbox sandbox clock --advance 2h'],
  ],

  async run({ values, json, print, world }) {
    if (values.secret !== undefined) {
      print.warn('--secret is visible in ps and in the history of the shell')
    }
    const { runSandbox } = await import('webhook-inbox-sandbox/program')
    const signal = world.interrupted()
    const ended = () =>
      new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve()
        }
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    const status = await runSandbox(argumentsOf(values, json), {
      stdout: world.stdout,
      stderr: world.stderr,
      ended,
    })
    return status === 0 ? exit.good : exit.usage
  },
})

function argumentsOf(values: Readonly<Record<string, unknown>>, json: boolean): string[] {
  const args = Object.keys(options).flatMap((name) => {
    const value = values[name]
    if (value === true) {
      return [`--${name}`]
    }
    return [value]
      .flat()
      .filter((each) => typeof each === 'string')
      .map((each) => `--${name}=${each}`)
  })
  return json ? [...args, '--json'] : args
}
