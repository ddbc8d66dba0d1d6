/** An SMTP server for tests that keeps the messages it receives. */
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { atEndOfFile } from './run/cleanup.ts'

export interface MailServer {
  /** For `config.mail`. */
  config: { smtp_url: string; from: string }
  /** The received messages, oldest first. */
  received: Received[]
}

export interface Received {
  /** The envelope recipient. */
  to: string
  mail: ParsedMail
}

/** @param options what it rejects: `onRcptTo` and others of `smtp-server` */
export async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, { envelope }, callback) {
      simpleParser(stream).then((mail) => {
        for (const { address } of envelope.rcptTo) received.push({ to: address, mail })
        callback()
      }, callback)
    },
    ...options,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  return { config: { smtp_url: `smtp://127.0.0.1:${port}`, from: 'forge@example.com' }, received }
}
