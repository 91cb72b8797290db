import { subscribe } from 'node:diagnostics_channel'

// The sandbox reports an answer after its commit and before it sends it.
subscribe('webhook-inbox-sandbox:answer', ({ method, path }) => {
  if (method === 'POST' && path === '/v1/transfers') {
    process.kill(process.pid, 'SIGKILL')
  }
})
