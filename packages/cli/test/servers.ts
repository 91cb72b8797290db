import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) {
      ;(server.closeAllConnections as () => void)()
    }
    server.close()
  }
})

/** Starts a server for one test; resolves to its port. */
export async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return (server.address() as AddressInfo).port
}

/** The URL of an HTTP server for one test. */
export const http = async (listener: RequestListener, options: ServerOptions = {}) =>
  `http://127.0.0.1:${await portOf(createHttpServer(options, listener))}/webhooks`

/** The URL of an HTTPS server with a self-signed certificate. */
export async function selfSigned(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'cli-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=127.0.0.1', '-days', '1']
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const files = { key: readFileSync(key), cert: readFileSync(cert) }
  rmSync(folder, { recursive: true })
  return `https://127.0.0.1:${await portOf(createTlsServer(files, (_request, response) => response.end()))}/`
}

/** A port that was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createSocketServer()
  const port = await portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Begins an answer that goes on at a slow pace. */
export const trickle: RequestListener = (_request, response) => {
  response.write('x')
  const timer = setInterval(() => response.write('x'), 50)
  response.once('close', () => clearInterval(timer))
}

/** Sends an answer without end, as fast as it is read. */
export const pour: RequestListener = (request, response) => {
  request.resume()
  const chunk = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (!response.destroyed && response.write(chunk)) {}
    if (!response.destroyed) {
      response.once('drain', more)
    }
  }
  more()
}
