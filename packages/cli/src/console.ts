import { defineCommand, type Options } from './command.js'
import { exit } from './exit.js'
import { receiverOptions, withReceiver } from './inbox/open-receiver.js'
import { wholeNumber } from './numbers.js'

const options = {
  ...receiverOptions,
  port: { type: 'string', value: 'N', default: '0', help: 'The port of this machine. 0 takes a free one' },
  actor: {
    type: 'string',
    value: 'NAME',
    help: 'The name that the audit keeps. Default: your name on this machine',
  },
  environment: { type: 'string', value: 'WORD', help: 'A badge for the page, such as production' },
  'read-only': { type: 'boolean', help: 'Permits no change' },
} as const satisfies Options

export const console = defineCommand({
  about:
    'Shows the inbox of a program on a page, to you alone. It listens on this machine only, and the address contains a key that no other page can know. Ctrl-C ends it.',
  options,
  examples: [
    ['--receiver src/receiver.ts', 'Prints the address of the page.'],
    [
      '--receiver src/receiver.ts --read-only --environment production',
      'Looks without the right to change anything.',
    ],
  ],

  async run({ values, json, print, world }) {
    const port = wholeNumber('port', values.port, { min: 0 })
    const { serveConsole } = await import('./console/serve-console.js')
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      const signal = world.interrupted()
      const served = await serveConsole(receiver, {
        port,
        actor: values.actor,
        environment: values.environment,
        isReadOnly: values['read-only'],
      })
      print.working(undefined)
      if (json) {
        print.json({ url: served.url })
      } else {
        print.line(served.url)
      }
      print.note('Keep this address to yourself: whoever has it may act as you. Ctrl-C ends it.')
      await new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve()
        }
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await served.close()
      return exit.good
    })
  },
})
