import { sandboxFlags } from 'webhook-inbox-sandbox/flags'
import { defineCommand, type Options } from '../command.js'
import { exit } from '../exit.js'

/** The flags of the sandbox itself, so that help, completion and suggestions know them. */
const options: Options = {
  ...sandboxFlags,
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
