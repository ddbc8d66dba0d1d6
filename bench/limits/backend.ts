/** The limit of git over HTTP: git's own `http-backend`, run as CGI behind the smallest server there can be. */
import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { plainGit, readInput } from '../processes.ts'

export interface BackendInput {
  /** The folder of the repositories. */
  root: string
}

const { root } = await readInput<BackendInput>()
const server = createServer(serve).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))

function serve(request: IncomingMessage, response: ServerResponse): void {
  const child = spawn('git', ['http-backend'], { env: environment(request), stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  request.pipe(child.stdin)
  let head = Buffer.alloc(0)
  const takeHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    child.stdout.off('data', takeHead)
    writeHead(response, head.subarray(0, end).toString('latin1'))
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response)
  }
  child.stdout.on('data', takeHead)
}

/** As RFC 3875 names what a request carries. */
function environment({ method, url = '', headers }: IncomingMessage): NodeJS.ProcessEnv {
  const [path, query = ''] = url.split('?', 2)
  return {
    ...plainGit,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    // A name is what lets a push in.
    REMOTE_USER: 'bench',
    REMOTE_ADDR: '127.0.0.1',
    REQUEST_METHOD: method,
    PATH_INFO: path,
    QUERY_STRING: query,
    CONTENT_TYPE: headers['content-type'] ?? '',
    ...(headers['content-length'] && { CONTENT_LENGTH: headers['content-length'] }),
    ...(headers['content-encoding'] && { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
  }
}

function writeHead(response: ServerResponse, text: string): void {
  for (const line of text.split('\r\n')) {
    const [name = '', ...value] = line.split(': ')
    if (name === 'Status') response.statusCode = Number.parseInt(value.join(': '), 10)
    else response.setHeader(name, value.join(': '))
  }
}
