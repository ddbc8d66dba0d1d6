/** Checks of the network: HTTP, SSH, and the public URL with its certificate. */
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Config } from '../../config.ts'
import { type Finding, fail, numberOf, ok, warn } from './findings.ts'

const timeout_ms = 5_000

/** An address at which this machine can reach a listener. */
function reachable(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
}

export async function checkServer({ host, port }: Config): Promise<Finding[]> {
  const address = reachable(host)
  const answer = await ask(`http://${address.includes(':') ? `[${address}]` : address}:${port}/-/readiness`)
  if (answer === null) return [ok('server', `not running on ${address}:${port}`)]
  if (answer.status === 200 && answer.text.includes('database_check')) return [ok('server', `ready on ${address}:${port}`)]
  if (!answer.text.includes('database_check'))
    return [fail('server', `another program answers on ${address}:${port}`, 'change GITSTEAD_PORT, or stop that program')]
  return [fail('server', `not ready: ${answer.text}`, 'see its log')]
}

export async function checkSsh({ ssh_host, ssh_port }: Config): Promise<Finding[]> {
  if (ssh_port === null) return [ok('ssh', 'off (GITSTEAD_SSH_PORT)')]
  const address = reachable(ssh_host)
  const banner = await bannerOf(address, ssh_port)
  if (banner === null) return [ok('ssh', `not running on ${address}:${ssh_port}`)]
  if (banner.startsWith('SSH-2.0-Gitstead')) return [ok('ssh', `${banner} on ${address}:${ssh_port}`)]
  return [fail('ssh', `another program answers on ${address}:${ssh_port} (${banner})`, 'change GITSTEAD_SSH_PORT')]
}

/** The first line that an SSH server sends; null if nothing listens. */
function bannerOf(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const finish = (banner: string | null) => {
      socket.destroy()
      resolve(banner)
    }
    socket.setTimeout(timeout_ms, () => finish('no answer'))
    socket.once('error', () => finish(null))
    socket.once('data', (data) => finish(data.toString('latin1').split(/\r?\n/, 1)[0] ?? ''))
  })
}

export async function checkPublicAddress({ url, hostname }: Config): Promise<Finding[]> {
  const isHere = /^(localhost|127\.|\[?::1)/.test(hostname)
  if (!url.startsWith('https:')) {
    const plain = warn('address', `${url} is not encrypted`, 'put a proxy with TLS before it, and set GITSTEAD_URL')
    return [isHere ? ok('address', `${url}, for this machine`) : plain]
  }
  const certificate = await checkCertificate(new URL(url))
  const health = await ask(`${url}/-/health`)
  if (health === null) return [...certificate, warn('address', `${url} cannot be reached from here`, 'see name server, firewall and proxy')]
  if (!health.text.startsWith('Gitstead OK')) {
    const text = `${url} answers ${health.status}, not as Gitstead`
    return [...certificate, warn('address', text, 'see the proxy; while the server is stopped this is normal')]
  }
  const metrics = await ask(`${url}/-/metrics`)
  if (metrics?.status === 200) return [...certificate, fail('address', 'anyone can read /-/metrics', 'let the proxy set X-Forwarded-For')]
  return [...certificate, ok('address', `${url} leads here`)]
}

const soon_days = 14

async function checkCertificate({ hostname, port }: URL): Promise<Finding[]> {
  const found = await certificateOf(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
  if (found === null) return []
  const { valid_to, error } = found
  const left_days = Math.floor((Date.parse(valid_to) - Date.now()) / 86_400_000)
  if (left_days < 0) return [fail('certificate', `expired on ${valid_to}`, 'renew it')]
  if (error !== null)
    return [fail('certificate', `not trusted: ${error}`, 'git clients refuse it, too; for a CA of your own set NODE_EXTRA_CA_CERTS')]
  if (left_days < soon_days) return [warn('certificate', `valid for ${numberOf(left_days, 'day')} more`, 'renew it')]
  return [ok('certificate', `valid for ${numberOf(left_days, 'day')} more`)]
}

/** Null if nothing there speaks TLS. */
function certificateOf(host: string, port: number): Promise<{ valid_to: string; error: string | null } | null> {
  return new Promise((resolve) => {
    // Invalid certificates are examined, too.
    const socket = connectTls({ host, port, servername: host, rejectUnauthorized: false }, () => {
      const { valid_to } = socket.getPeerCertificate()
      const { authorizationError } = socket
      resolve({ valid_to, error: socket.authorized ? null : String(authorizationError) })
      socket.destroy()
    })
    socket.setTimeout(timeout_ms, () => socket.destroy())
    socket.once('error', () => resolve(null))
    socket.once('close', () => resolve(null))
  })
}

/** Null if there is no answer. */
async function ask(url: string): Promise<{ status: number; text: string } | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeout_ms), redirect: 'manual' })
    return { status: answer.status, text: (await answer.text()).slice(0, 500) }
  } catch {
    return null
  }
}
