/**
 * SSRF guard: requests to URLs of users only reach the public internet, unless an administrator allows more. Every URL is checked here, and
 * requests then go only to the addresses that were resolved here: a second lookup may return other addresses.
 */
import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { Failure, invalid } from '../failure.ts'
import { isUrl } from '../text/parse-url.ts'
import { isAddress, isPublic, isSame } from './public-addresses.ts'

export interface Target {
  /** Normalized as browsers do, without credentials and fragment. */
  url: string
  host: string
  port: number
  credentials: { username: string; password: string } | null
}

export interface PinnedTarget extends Target {
  /** At least one; the request goes to one of them, without another lookup. */
  addresses: string[]
}

/** Resolves all addresses of a name; none if it doesn't exist. */
export type Resolve = (name: string) => Promise<string[]>

export interface TargetRules {
  /** Whether addresses of this machine and its network are allowed. */
  local: boolean
  /** Allowed ports below 1024; all ports if absent. */
  ports?: number[]
  /** Whether `ssh://` is allowed, too. */
  ssh?: boolean
  resolve?: Resolve
  /** The addresses of this machine; by default those that the system reports. */
  own?: readonly string[]
}

const longest = 2_048
const usualPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

/**
 * Parses a URL: `http://0x7f.1`, `http://2130706433` and `http://①②⑦.0.0.1` are all `127.0.0.1`. Throws 400 with a reason that follows "is
 * blocked: ".
 */
export function readTarget(text: string, { local, ports, ssh = false, own }: Omit<TargetRules, 'resolve'>): Target {
  const trimmed = text.trim()
  // URL() would silently drop some of these.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects
  if (trimmed.length > longest || /[\x00-\x20\x7f\\]/.test(trimmed) || !isUrl(trimmed)) throw invalid('URI is invalid')
  const isSsh = ssh && /^ssh:\/\//i.test(trimmed)
  // Parsed as a web URL, so that its host is normalized and checked.
  const url = new URL(isSsh ? trimmed.replace(/^ssh/i, 'http') : trimmed)
  const usual = isSsh ? sshPort(trimmed) : usualPorts[url.protocol]
  if (usual === undefined) throw invalid(`Only allowed protocols are http, https${ssh ? ', ssh' : ''}`)
  const port = url.port === '' ? usual : Number(url.port)
  if (ports && port < 1024 && !ports.includes(port)) {
    throw invalid(`Only allowed ports are ${ports.join(', ')}, and any over 1024`)
  }
  const credentials = credentialsOf(url)
  url.username = url.password = url.hash = ''
  // A name with a dot at its end is the same name.
  url.hostname = url.hostname.replace(/\.$/, '')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!isAddress(host) && !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host)) throw invalid('Hostname or IP address invalid')
  if (!local && isAddress(host)) assertPublic([host], own)
  if (!local && /(^|\.)localhost$/.test(host)) throw invalid('Requests to localhost are not allowed')
  return { url: isSsh ? url.href.replace(/^http/, 'ssh') : url.href, host, port, credentials }
}

/**
 * Resolves the target. Throws 400 if any of its addresses is not allowed, since each of them may be used, and `not_found` if it has none.
 */
export async function pinTarget(target: Target, { local, resolve = resolveByDns, own }: TargetRules): Promise<PinnedTarget> {
  const addresses = isAddress(target.host) ? [target.host] : await resolve(target.host)
  if (addresses.length === 0) throw new Failure('not_found', `The host ${target.host} could not be found`)
  if (!local) assertPublic(addresses, own)
  return { ...target, addresses }
}

/** Addresses of this machine are rejected even if they are public: a local service may trust connections from the same machine. */
function assertPublic(addresses: string[], own: readonly string[] = ownAddresses()): void {
  const isOwn = (address: string) => own.some((one) => isSame(one, address))
  const inside = addresses.find((address) => !isAddress(address) || !isPublic(address) || isOwn(address))
  if (inside !== undefined) throw invalid('Requests to the local network are not allowed')
}

/** Read each time, since interfaces come and go. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((found) => found?.map(({ address }) => address) ?? [])
}

/** The port, which is missing after parsing if it is the default of the web scheme. */
function sshPort(url: string): number {
  return /^ssh:\/\/[^/?#]*:80([/?#]|$)/i.test(url) ? 80 : 22
}

function credentialsOf({ username, password }: URL): Target['credentials'] {
  if (username === '' && password === '') return null
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch (cause) {
    throw invalid('URI is invalid', cause)
  }
}

/**
 * Asks the name servers, not the hosts file. Unlike the lookup of the system it uses no thread of the file system pool, so slow name
 * servers block nothing else.
 */
async function resolveByDns(name: string): Promise<string[]> {
  if (/(^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
