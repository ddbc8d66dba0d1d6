/**
 * Where users may have the server send requests: to the public internet, unless an administrator allows more. All that is
 * fetched or called for them passes here, and then goes to the addresses that were looked at here and to no others: a name
 * that is looked up twice may lead elsewhere the second time.
 */
import { Resolver } from 'node:dns/promises'
import { Failure, invalid } from '../failure.ts'
import { isAddress, isPublic } from './public-addresses.ts'

export interface Target {
  /** As browsers read it: one spelling for each address, and without credentials and fragment. */
  url: string
  host: string
  port: number
  credentials: { username: string; password: string } | null
}

export interface PinnedTarget extends Target {
  /** At least one; the request goes to one of them, whatever a name server says by then. */
  addresses: string[]
}

/** Gives every address of a name, none where there is no such name. */
export type Resolve = (name: string) => Promise<string[]>

export interface TargetRules {
  /** Whether addresses of this machine and its network are allowed. */
  local: boolean
  /** Ports below 1024 that are allowed; all where none are given. */
  ports?: number[]
  resolve?: Resolve
}

const longest = 2_048
const usualPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

/**
 * Reads an address as it was written: `http://0x7f.1`, `http://2130706433` and `http://①②⑦.0.0.1` are all `127.0.0.1`.
 * Throws 400 with what is wrong, in words that follow "is blocked: ".
 */
export function readTarget(text: string, { local, ports }: Pick<TargetRules, 'local' | 'ports'>): Target {
  const trimmed = text.trim()
  // URL() would silently leave out some of these.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (trimmed.length > longest || /[\x00-\x20\x7f\\]/.test(trimmed) || !URL.canParse(trimmed)) throw invalid('URI is invalid')
  const url = new URL(trimmed)
  const usual = usualPorts[url.protocol]
  if (usual === undefined) throw invalid('Only allowed protocols are http, https')
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
  if (!local && isAddress(host)) assertPublic([host])
  if (!local && /(^|\.)localhost$/.test(host)) throw invalid('Requests to localhost are not allowed')
  return { url: url.href, host, port, credentials }
}

/**
 * Finds where the target is. Throws 400 when any of its addresses is not allowed, as one of them may be taken later, and
 * `not_found` when it has none.
 */
export async function pinTarget(target: Target, { local, resolve = resolveByDns }: TargetRules): Promise<PinnedTarget> {
  const addresses = isAddress(target.host) ? [target.host] : await resolve(target.host)
  if (addresses.length === 0) throw new Failure('not_found', `The host ${target.host} could not be found`)
  if (!local) assertPublic(addresses)
  return { ...target, addresses }
}

function assertPublic(addresses: string[]): void {
  const inside = addresses.find((address) => !isAddress(address) || !isPublic(address))
  if (inside !== undefined) throw invalid('Requests to the local network are not allowed')
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
 * Asks the name servers, and no file of this machine. Unlike the system's own look-up this takes no thread from those that
 * read and write files, so slow name servers of others hold up nobody.
 */
async function resolveByDns(name: string): Promise<string[]> {
  if (/(^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
