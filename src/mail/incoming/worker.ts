/** The program of the process that parses incoming messages. */
import { serveJobs } from '../../sandbox/serve.ts'
import { parseMessage } from './parse-message.ts'

serveJobs(({ raw }: { raw: Uint8Array }) => parseMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.length)))
