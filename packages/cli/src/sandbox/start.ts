import { sandboxFlags } from 'webhook-inbox-sandbox/flags'
import { type Call, defineCommand, type Options } from '../command.js'
import { exit } from '../exit.js'
import { readSecret, secretOptions } from '../secrets.js'

/** The flags of the sandbox itself, so that help, completion and suggestions know them. */
const options: Options = {
  ...sandboxFlags,
  'secret-file': {
    ...secretOptions['secret-file'],
    help: 'A file that contains only this secret. With --forward-to and neither option: the variable WEBHOOK_SECRET',
  },
  open: { type: 'boolean', help: 'Open the inspector in a browser' },
}

export const start = defineCommand({
  about:
    'Starts the payments platform on your own machine: its API, its signed webhooks with retries, and a page that shows each delivery. Ctrl-C ends it.',
  options,
  examples: [
    ['--forward-to http://127.0.0.1:3000/webhooks', 'Delivers every event to your receiver.'],
    ['--state sandbox.db --port 4020', 'Keeps everything over a restart, on another port.'],
    ['--clock virtual --retry standard', 'Moves on only with: webhook-inbox sandbox clock --advance 2h'],
  ],

  async run(call) {
    const { values, json, world } = call
    const secret = await secretOf(call)
    const { runSandbox } = await import('webhook-inbox-sandbox/program')
    const signal = world.interrupted()
    const ended = () =>
      new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve()
        }
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    const status = await runSandbox(argumentsOf({ ...values, secret }, json), {
      stdout: world.stdout,
      stderr: world.stderr,
      ended,
    })
    return status === 0 ? exit.good : exit.usage
  },
})

/** Without a receiver, the variable is for another command. */
async function secretOf(call: Call<typeof options>): Promise<string | undefined> {
  const { secret, 'secret-file': file, 'forward-to': targets } = call.values
  const isForwarding = Array.isArray(targets) && targets.length > 0
  if (secret === undefined && file === undefined && !(isForwarding && call.world.env.WEBHOOK_SECRET)) {
    return undefined
  }
  const values = { secret: text(secret), 'secret-file': text(file) }
  return (await readSecret({ ...call, values })).secret
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function argumentsOf(values: Readonly<Record<string, unknown>>, json: boolean): string[] {
  const args = Object.keys(sandboxFlags)
    .concat('open')
    .flatMap((name) => {
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
