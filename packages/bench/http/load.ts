import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Keep-alive connections, each with one request in flight. */
export class Load {
  readonly #sockets: Socket[]
  #answerLength = 0
  #requests: readonly Buffer[] = []
  #isSending = false
  #sent = 0
  #answered = 0
  #done: () => void = () => {}
  #failed: (error: Error) => void = () => {}

  private constructor(port: number, connections: number) {
    this.#sockets = Array.from({ length: connections }, () => this.#connect(port))
  }

  static async open(port: number, connections: number): Promise<Load> {
    const load = new Load(port, connections)
    await Promise.all(load.#sockets.map((socket) => once(socket, 'connect')))
    return load
  }

  /** Sends requests as fast as they are answered. Rejects unless all responses are 200 and have the same length. */
  send(requests: readonly Buffer[]): Promise<void> {
    this.#requests = requests
    this.#sent = 0
    this.#answered = 0
    this.#isSending = true
    const sent = new Promise<void>((resolve, reject) => {
      this.#done = resolve
      this.#failed = reject
      for (const socket of this.#sockets) {
        this.#sendNext(socket)
      }
      this.#stayAwake()
    })
    return sent.finally(() => {
      this.#isSending = false
    })
  }

  close(): void {
    for (const socket of this.#sockets) {
      socket.destroy()
    }
  }

  /**
   * Keeps this process awake while it sends. Otherwise the server pays for waking it, and a fast server would pay less
   * often than a slow one.
   */
  #stayAwake(): void {
    if (this.#isSending) {
      setImmediate(() => this.#stayAwake())
    }
  }

  #sendNext(socket: Socket): void {
    const request = this.#requests[this.#sent]
    if (!request) {
      return
    }
    this.#sent++
    socket.write(request)
  }

  #connect(port: number): Socket {
    // One buffer per socket, read in place: the load must cost less than the server.
    const buffer = Buffer.allocUnsafe(4096)
    let received = 0
    const callback = (bytes: number): boolean => {
      if (received === 0 && buffer.toString('latin1', 0, 12) !== 'HTTP/1.1 200') {
        this.#failed(new Error(`answered with ${buffer.toString('latin1', 0, bytes)}`))
        return false
      }
      if (this.#answerLength === 0) {
        this.#answerLength = lengthOf(buffer.toString('latin1', 0, bytes))
      }
      received += bytes
      if (received < this.#answerLength) {
        return true
      }
      if (received > this.#answerLength) {
        this.#failed(new Error('answers differ in their length'))
      }
      received = 0
      this.#sendNext(socket)
      if (++this.#answered === this.#requests.length) {
        this.#done()
      }
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
    socket.on('error', (error) => this.#failed(error))
    socket.on('close', () => this.#failed(new Error('the server closed a connection')))
    return socket
  }
}

/** Returns the total length of a response whose head has arrived, from its Content-Length. */
function lengthOf(answer: string): number {
  const head = answer.indexOf('\r\n\r\n') + 4
  const declared = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1]
  if (head < 4 || declared === undefined) {
    throw new Error(`cannot tell the length of ${answer}`)
  }
  return head + Number(declared)
}
