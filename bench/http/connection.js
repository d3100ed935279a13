// The load client: one keep-alive connection, one request on it at a time. Written by hand because what the client takes of the machine's
// cores is taken from both sides alike, and makes them look more alike than they are: `fetch` takes as long as a small server does.
import { connect } from 'node:net'

const HEAD_END = '\r\n\r\n'

export class Connection {
  #socket
  #host
  #headers
  #heard = Buffer.alloc(0)
  #waiting

  static async to(url, headers = {}) {
    const { hostname, port, host } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new Connection(socket, host, headers)
  }

  constructor(socket, host, headers) {
    this.#socket = socket
    this.#host = host
    this.#headers = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    socket.on('data', (chunk) => this.#hear(chunk))
    socket.on('close', () => this.#waiting?.reject(new Error('the server has closed the connection')))
    socket.on('error', (error) => this.#waiting?.reject(error))
  }

  /** Posts JSON and answers the JSON that comes back; any status but these is an error. */
  async post(path, body, statuses = [200, 201]) {
    const json = JSON.stringify(body)
    const head = `POST ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n${this.#headers}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}`
    const { status, text } = await new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(`${head}${HEAD_END}${json}`)
    })
    if (!statuses.includes(status)) throw new Error(`${path} answered ${status}: ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }

  close() {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #hear(chunk) {
    this.#heard = this.#heard.length === 0 ? chunk : Buffer.concat([this.#heard, chunk])
    const end = this.#heard.indexOf(HEAD_END)
    if (end < 0) return
    const head = this.#heard.latin1Slice(0, end)
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    const from = end + HEAD_END.length
    if (this.#heard.length < from + length) return
    const text = this.#heard.utf8Slice(from, from + length)
    this.#heard = this.#heard.subarray(from + length)
    this.#waiting?.resolve({ status: Number(head.slice(9, 12)), text })
  }
}

/** So many connections, for `work`, closed after it. */
export async function withConnections(count, url, headers, work) {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.to(url, headers)))
  try {
    return await work(connections)
  } finally {
    for (const connection of connections) connection.close()
  }
}
